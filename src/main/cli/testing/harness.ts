import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DemoHostProcess } from '../../engine/demo/types.ts'
import type { CliDeps } from '../deps.ts'
import { runCli } from '../program.ts'
import { createFakeEngine, type FakeWorld, fakeWorld } from './fake-engine.ts'
import { type FakeInput, type FakeOutput, fakeInput, fakeOutput } from './fake-streams.ts'

export interface Outcome {
  code: number
  stdout: string
  stderr: string
}

/** One person at one machine: a data folder, a fake engine over a real history, and the program in process. */
export interface Harness {
  folder: string
  world: FakeWorld
  env: Record<string, string | undefined>
  /** The streams of the latest command. */
  stdout(): FakeOutput
  stderr(): FakeOutput
  stdin(): FakeInput
  signal(kind: 'interrupt' | 'hangup'): void
  /** Something is thrown where nobody catches it; true: it belonged to one connection. */
  bug(error: Error, contained: boolean): void
  /** Codes given to exitNow. */
  left: number[]
  clock: { now: number }
  startDemoHost: (options: { machine: string; port?: number }) => Promise<DemoHostProcess>
  startServe: CliDeps['startServe']
  run(...words: string[]): Promise<Outcome>
  json(...words: string[]): Promise<{ code: number; document: Record<string, unknown> }>
  dispose(): void
}

export function createHarness(options: { tty?: boolean; columns?: number; rows?: number } = {}): Harness {
  const folder = mkdtempSync(join(tmpdir(), 'speedgrid cli '))
  const size = { isTTY: options.tty === true, columns: options.columns ?? 100, rows: options.rows ?? 30 }
  let stdout = fakeOutput(size)
  let stderr = fakeOutput(size)
  let stdin = fakeInput(size.isTTY)
  const listeners = new Set<(kind: 'interrupt' | 'hangup') => void>()
  const bugs = new Set<(error: unknown, contained: boolean) => void>()
  const world = fakeWorld()
  const harness: Harness = {
    folder,
    world,
    env: {},
    stdout: () => stdout,
    stderr: () => stderr,
    stdin: () => stdin,
    signal(kind) {
      for (const listener of listeners) listener(kind)
    },
    bug(error, contained) {
      for (const listener of bugs) listener(error, contained)
    },
    left: [],
    clock: { now: 1_000_000 },
    startDemoHost: () => Promise.reject(new Error('no demo host in this test')),
    startServe: () => Promise.reject(new Error('nothing is served in this test')),
    async run(...words) {
      stdout = fakeOutput(size)
      stderr = fakeOutput(size)
      stdin = fakeInput(size.isTTY)
      const deps: CliDeps = {
        version: '9.9.9',
        stdout,
        stderr,
        stdin,
        env: harness.env,
        cwd: folder,
        homeDir: join(folder, 'home'),
        platform: 'linux',
        onSignal(listener) {
          listeners.add(listener)
          return () => void listeners.delete(listener)
        },
        onBug(listener) {
          bugs.add(listener)
          return () => void bugs.delete(listener)
        },
        exitNow: (code) => void harness.left.push(code),
        now: () => harness.clock.now,
        createEngine: (engineOptions) => Promise.resolve(createFakeEngine(world, engineOptions)),
        startDemoHost: (demoOptions) => harness.startDemoHost(demoOptions),
        startServe: (serveOptions) => harness.startServe(serveOptions),
      }
      const code = await runCli(['--data-dir', 'data', ...words], deps)
      return { code, stdout: stdout.text(), stderr: stderr.text() }
    },
    async json(...words) {
      const outcome = await harness.run('--json', ...words)
      return { code: outcome.code, document: JSON.parse(outcome.stdout) as Record<string, unknown> }
    },
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  }
  return harness
}
