import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'

/** Nothing of a demo is left forever, whatever happens to the rest. */
const LONGEST_LIFE_MS = 10 * 60_000
const WATCH_MS = 2000

export const ENGINE_CORE_COMMAND = 'stand-in-engine-core'

/**
 * The process that holds the GPU in a real vLLM. It stays when the API server is killed hard, as the real one does, and ends on SIGTERM
 * (the API server passes its own on), with the demo host, or after ten minutes as an orphan.
 */
export function spawnEngineCore(stateFile: string, onExit: () => void): ChildProcess {
  const program = process.argv[1] ?? ''
  // The title of a process must fit into what its arguments took up.
  const child = spawn(process.execPath, [...process.execArgv, program, ENGINE_CORE_COMMAND, stateFile, String(process.pid)], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  child.on('exit', onExit)
  child.on('error', onExit)
  return child
}

/** Runs as that process: never returns. */
export function runEngineCore(stateFile: string, apiPid: string): void {
  process.title = `${process.env['VLLM_PROCESS_NAME_PREFIX'] ?? 'VLLM'}::EngineCore`
  const end = () => {
    rmSync(stateFile, { force: true })
    process.exit(0)
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', () => {}) // a Ctrl-C reaches the API server too, which ends us
  let orphanedMs = 0
  setInterval(() => {
    if (demoHostIsGone()) end()
    orphanedMs = existsSync(`/proc/${apiPid}`) ? 0 : orphanedMs + WATCH_MS
    if (orphanedMs >= LONGEST_LIFE_MS) end()
  }, WATCH_MS)
}

/** True when the demo host that we belong to has ended without ending us. */
export function demoHostIsGone(): boolean {
  const pid = process.env['SPEEDGRID_DEMO_PID']
  return pid !== undefined && pid !== '' && !existsSync(`/proc/${pid}`)
}
