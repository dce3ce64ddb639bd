import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { SpeedgridError } from '../../shared/model/error.ts'
import { MACHINE_NAMES } from './machines/index.ts'
import { startDemoHost } from './start-demo-host.ts'

const USAGE = `usage: demo-host --machine ${MACHINE_NAMES.join('|')} [--port P] [--folder DIR] [--parent-pid PID] [--until-stdin-ends]`

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        machine: { type: 'string' },
        port: { type: 'string', default: '0' },
        folder: { type: 'string' },
        'parent-pid': { type: 'string' },
        'until-stdin-ends': { type: 'boolean', default: false },
      },
    })
    const port = Number(values.port)
    if (!values.machine) throw new Error('--machine is missing')
    if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`--port ${values.port} is no port`)
    return { ...values, machine: values.machine, port }
  } catch (error) {
    throw new SpeedgridError('usage', error instanceof Error ? error.message : String(error), { nextStep: USAGE })
  }
}

/** Prints one line of JSON with the machine's facts when it is ready; ends, leaving nothing, on a signal or when nobody needs it any more. */
async function main(): Promise<void> {
  const options = readArguments()
  const ended = new Promise<void>((end) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end())
    if (options['until-stdin-ends']) {
      process.stdin.on('end', () => end()).on('error', () => end())
      process.stdin.resume()
    }
    const parent = options['parent-pid']
    if (parent) setInterval(() => existsSync(`/proc/${parent}`) || end(), 1000).unref()
  })
  const host = await startDemoHost({
    machine: options.machine,
    port: options.port,
    ...(options.folder ? { folder: options.folder } : {}),
  })
  const facts = { ...host, dispose: undefined }
  process.stdout.on('error', () => {}) // the reader may have gone before we do
  process.stdout.write(`${JSON.stringify(facts)}\n`)
  await ended
  await host.dispose()
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    const known = error instanceof SpeedgridError
    const lines = known ? [error.message, ...error.evidence, error.nextStep] : [`The demo machine failed: ${String(error)}`]
    process.stderr.write(`${lines.filter((line) => line !== undefined).join('\n')}\n`)
    process.exit(known && error.code === 'usage' ? 2 : 1)
  },
)
