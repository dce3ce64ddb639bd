import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const cli = join(root, 'out/main/cli.js')

export interface Outcome {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  seconds: number
}

export interface Running {
  child: ChildProcess
  done: Promise<Outcome>
  /** What was printed so far. */
  stdout(): string
  stderr(): string
  /** Resolves when the pattern has appeared on stderr or stdout; rejects when the program ended without it. */
  saw(pattern: RegExp): Promise<RegExpMatchArray>
}

export interface StartOptions {
  cwd?: string
  env?: NodeJS.ProcessEnv
  node?: string
  /** Another script than the command line. */
  entry?: string
}

/** A person's account on one machine: a home folder, a data folder, and the built program to type commands into. */
export interface Person {
  home: string
  dataDir: string
  /** TMPDIR of everything this person starts. */
  temporary: string
  env: NodeJS.ProcessEnv
  start(args: string[], options?: StartOptions): Running
  run(args: string[], options?: StartOptions): Promise<Outcome>
  /** Runs with --json and parses the document; fails the test with stderr where the exit code isn't the one expected. */
  json<T>(args: string[], expectedCode?: number): Promise<T>
  dispose(): void
}

export function createPerson(extraEnv: NodeJS.ProcessEnv = {}, within = tmpdir()): Person {
  const folder = mkdtempSync(join(within, 'speedgrid person '))
  const home = join(folder, 'home')
  const dataDir = join(folder, 'data')
  const temporary = join(folder, 'tmp')
  const { SSH_AUTH_SOCK: _agent, SPEEDGRID_DATA_DIR: _dir, XDG_CACHE_HOME: _cache, ...inherited } = process.env
  const env = { ...inherited, HOME: home, TMPDIR: temporary, SPEEDGRID_DATA_DIR: dataDir, NO_COLOR: '1', ...extraEnv }
  mkdirSync(home, { mode: 0o700 })
  mkdirSync(temporary)
  const running = new Set<ChildProcess>()

  const start: Person['start'] = (args, options = {}) => {
    const startedMs = performance.now()
    const child = spawn(options.node ?? process.execPath, [options.entry ?? cli, ...args], {
      cwd: options.cwd ?? root,
      env: { ...env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    running.add(child)
    let stdout = ''
    let stderr = ''
    const watchers = new Set<() => void>()
    const notify = () => {
      for (const watcher of watchers) watcher()
    }
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      notify()
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
      notify()
    })
    const done = new Promise<Outcome>((resolveDone, reject) => {
      child.on('error', reject)
      child.on('close', (code, signal) => {
        running.delete(child)
        resolveDone({ code, signal, stdout, stderr, seconds: (performance.now() - startedMs) / 1000 })
        notify()
      })
    })
    const saw: Running['saw'] = (pattern) =>
      new Promise((resolveSaw, reject) => {
        const look = () => {
          const match = stderr.match(pattern) ?? stdout.match(pattern)
          if (match) {
            watchers.delete(look)
            resolveSaw(match)
          } else if (!running.has(child)) {
            watchers.delete(look)
            reject(new Error(`ended without printing ${pattern}\n${stdout}\n${stderr}`))
          }
        }
        watchers.add(look)
        look()
      })
    return { child, done, stdout: () => stdout, stderr: () => stderr, saw }
  }

  return {
    home,
    dataDir,
    temporary,
    env,
    start,
    run: (args, options) => start(args, options).done,
    async json<T>(args: string[], expectedCode = 0): Promise<T> {
      const outcome = await start([...args, '--json']).done
      if (outcome.code !== expectedCode) {
        throw new Error(`exit ${outcome.code}, not ${expectedCode}: ${args.join(' ')}\n${outcome.stdout}\n${outcome.stderr}`)
      }
      return JSON.parse(outcome.stdout) as T
    },
    dispose() {
      for (const child of running) child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
