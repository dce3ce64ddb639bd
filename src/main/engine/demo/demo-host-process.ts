import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { SpeedgridError } from '../../../shared/model/error.ts'
import type { DemoHostProcess } from './types.ts'

const START_LIMIT_MS = 30_000
const STOP_LIMIT_MS = 10_000

const readySchema = z.object({
  machine: z.string(),
  address: z.string(),
  port: z.int(),
  user: z.string(),
  clientKeyPath: z.string(),
  hostKeyFingerprint: z.string(),
  hostKeyLine: z.string(),
  launchWords: z.array(z.string()).min(1),
})

/** Starts the demo lab machine. It ends when we do, however we end: its standard input closes then. */
export async function spawnDemoHost(options: { entry: string; machine: string; port?: number }): Promise<DemoHostProcess> {
  const args = [options.entry, '--machine', options.machine, '--port', String(options.port ?? 0), '--until-stdin-ends']
  // Detached: the terminal's Ctrl-C must not end the machine before the server on it was stopped.
  const child = spawn(process.env.SPEEDGRID_NODE ?? process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'], detached: true })
  let complaints = ''
  child.stderr.on('data', (chunk: Buffer) => {
    complaints = (complaints + chunk.toString()).slice(-4000)
  })
  child.stdin.on('error', () => {})
  let gone = false
  let code: number | null = null
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (exitCode) => {
      code = exitCode
      resolve(complaints.trim())
    })
  }).then((said) => {
    gone = true
    return said
  })
  const dispose = async () => {
    if (gone) return
    child.stdin.end()
    const timers = [
      setTimeout(() => child.kill('SIGTERM'), STOP_LIMIT_MS / 2),
      setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS),
    ]
    await exited
    timers.forEach(clearTimeout)
  }
  try {
    return { ready: await readReady(createInterface({ input: child.stdout }), exited, () => code), exited, dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}

function readReady(lines: ReturnType<typeof createInterface>, exited: Promise<string>, exitCode: () => number | null) {
  return new Promise<z.infer<typeof readySchema>>((resolve, reject) => {
    const fail = (cause: string, evidence: string[]) => reject(new SpeedgridError('remote', cause, { evidence }))
    const timer = setTimeout(
      () => fail('The demo lab machine did not get ready.', [`waited ${START_LIMIT_MS / 1000} s`]),
      START_LIMIT_MS,
    )
    lines.on('line', (line) => {
      if (!line.startsWith('{')) return
      clearTimeout(timer)
      const parsed = readySchema.safeParse(parseJson(line))
      if (parsed.success) resolve(parsed.data)
      else fail('The demo lab machine said something unexpected.', [line.slice(0, 300)])
    })
    void exited.then((said) => {
      clearTimeout(timer)
      const [cause, ...evidence] = said.split('\n')
      // Exit 2 is a wrong option (an unknown machine, a taken port), and its first line says which.
      if (exitCode() === 2 && cause) reject(new SpeedgridError('usage', cause, { evidence }))
      else fail('The demo lab machine did not start.', said ? said.split('\n').slice(-5) : [])
    })
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
