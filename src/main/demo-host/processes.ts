import { readdirSync, readFileSync, statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** Pids of this account whose environment carries the marker. Zombies have no environment any more and don't count. */
export function markedProcesses(id: string): number[] {
  const uid = process.getuid?.()
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        if (statSync(`/proc/${pid}`).uid !== uid) return false
        return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`SPEEDGRID_DEMO_HOST=${id}`)
      } catch {
        return false // it ended while we looked, or isn't ours to read
      }
    })
    .map(Number)
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has ended by itself.
    }
  }
}

/** TERM, a second of grace, then KILL until none is left. Resolves to the pids that could not be ended. */
export async function endMarkedProcesses(id: string): Promise<number[]> {
  signalAll(markedProcesses(id), 'SIGTERM')
  for (let waitedMs = 0; waitedMs < 1000 && markedProcesses(id).length > 0; waitedMs += 50) await delay(50)
  for (let round = 0; round < 40; round += 1) {
    const left = markedProcesses(id)
    if (left.length === 0) return []
    signalAll(left, 'SIGKILL')
    await delay(50)
  }
  return markedProcesses(id)
}

/** At once and without waiting: for what a demo host that was killed left behind. */
export function killMarkedProcesses(id: string): void {
  if (/^[0-9a-f]{16}$/.test(id)) signalAll(markedProcesses(id), 'SIGKILL')
}
