import { setTimeout as delay } from 'node:timers/promises'
import { parseServeArguments, UsageError } from './launch/arguments.ts'
import { ENGINE_CORE_COMMAND, runEngineCore } from './launch/engine-core.ts'
import { serve } from './launch/serve.ts'
import { startSeconds } from './launch/startup.ts'
import { readMachineEnvironment } from './machine-environment.ts'

const USAGE = 'usage: vllm [-h] [-v] {chat,complete,serve,launch,bench,collect-env,run-batch} ...'

/** A real vLLM imports for many seconds before it looks at its arguments. */
const importing = () => delay(startSeconds() * 150)

async function main([command, ...rest]: string[]): Promise<number> {
  if (command === ENGINE_CORE_COMMAND) {
    runEngineCore(rest[0] ?? '', rest[1] ?? '')
    return new Promise(() => {})
  }
  const { machine, stateFolder } = readMachineEnvironment()
  if (command === '--version' || command === '-v') {
    process.stdout.write(`${machine.vllmVersion}\n`)
    return 0
  }
  if (command === undefined || command === '-h' || command === '--help') {
    process.stdout.write(
      `${USAGE}\n\nStand-in of Speedgrid's demo lab machine "${machine.name}"; it knows \`serve\` and \`--version\`.\n`,
    )
    return 0
  }
  if (command !== 'serve') {
    await importing()
    throw new UsageError(`argument subparser: invalid choice: '${command}' (choose from 'serve')`)
  }
  if (rest.some((word) => word === '-h' || word.startsWith('--help'))) {
    process.stdout.write('usage: vllm serve [model_tag] [options]\n')
    return 0
  }
  try {
    return await serve(machine, parseServeArguments(rest), stateFolder)
  } catch (error) {
    if (error instanceof UsageError) await importing()
    throw error
  }
}

main(process.argv.slice(2)).then(
  (status) => process.exit(status),
  (error: unknown) => {
    const usage = error instanceof UsageError
    const text = error instanceof Error ? error.message : String(error)
    process.stderr.write(usage ? `${USAGE}\nvllm: error: ${text}\n` : `vllm: ${text}\n`)
    process.exit(usage ? 2 : 1)
  },
)
