import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import type { Case } from './cases.ts'
import type { RunningEngine } from './engines.ts'
import type { Lab } from './lab.ts'
import { driversOf, type Found, processesOf, signal } from './processes.ts'

const TWICE_MS = 300
/** Longer than a writer waits for a lock without a word. */
const LOCK_MS = 9000
/** More than the ack limit of the plan, and the moment the driver takes to end. */
const UNWATCHED_MS = 7000

/** Does what the case says; resolves when nothing is frozen, down or full any more. */
export async function strike(lab: Lab, one: Case, engine: RunningEngine): Promise<void> {
  const killEngine = (name: NodeJS.Signals) => signal(engine.child.pid ?? -1, name)
  switch (one.kind) {
    case 'engine-kill':
    case 'window-engine-kill':
      killEngine('SIGKILL')
      break
    case 'engine-term':
      killEngine('SIGTERM')
      break
    case 'engine-int':
      killEngine('SIGINT')
      break
    case 'engine-int-twice':
      killEngine('SIGINT')
      await delay(TWICE_MS)
      killEngine('SIGINT')
      break
    case 'ack-limit':
      killEngine('SIGKILL')
      await delay(UNWATCHED_MS)
      break
    case 'driver-kill':
      for (const { pid } of driversOf(lab.root)) signal(pid, 'SIGKILL')
      break
    case 'driver-freeze':
      await freeze(driversOf(lab.root), one.lastsMs)
      break
    case 'sshd-cut':
      lab.sshd.cutConnections()
      break
    case 'sshd-down':
      await lab.stopSshd()
      await delay(one.lastsMs)
      await lab.restartSshd()
      break
    case 'sshd-freeze':
      await freeze(
        processesOf(lab.sshd.folder).filter(({ command }) => command.startsWith('sshd')),
        one.lastsMs,
      )
      break
    case 'server-kill':
      signal(lab.server.pid, 'SIGKILL')
      await delay(one.lastsMs)
      await lab.restartServer()
      break
    case 'server-freeze':
      await freeze([{ pid: lab.server.pid }], one.lastsMs)
      break
    case 'run-disk-full':
      await fill(one.driver === 'host' ? lab.hostHome : lab.person.dataDir, one.lastsMs)
      break
    case 'data-disk-full':
      await fill(lab.person.dataDir, one.lastsMs)
      break
    case 'database-locked':
      await lock(join(lab.person.dataDir, 'history.db'))
      break
  }
}

async function freeze(processes: readonly Pick<Found, 'pid'>[], ms: number): Promise<void> {
  for (const { pid } of processes) signal(pid, 'SIGSTOP')
  await delay(ms)
  for (const { pid } of processes) signal(pid, 'SIGCONT')
}

async function fill(folder: string, ms: number): Promise<void> {
  const path = join(folder, 'filler')
  const { bavail, bsize } = statfsSync(folder)
  try {
    writeFileSync(path, Buffer.alloc(bavail * bsize))
  } catch {
    // Somebody else was faster with the last block: it is full.
  }
  await delay(ms)
  rmSync(path, { force: true })
}

async function lock(path: string): Promise<void> {
  const file = new DatabaseSync(path, { timeout: 20_000 })
  file.exec('BEGIN IMMEDIATE')
  await delay(LOCK_MS)
  file.exec('ROLLBACK')
  file.close()
}
