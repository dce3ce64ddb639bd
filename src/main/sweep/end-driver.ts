import { setTimeout as delay } from 'node:timers/promises'
import { isRunOver } from '../../shared/model/states.ts'
import type { RunsStore } from '../store/index.ts'
import { patiently } from './patience.ts'
import type { RunningDriver } from './running-driver.ts'

const LEAVE_LIMIT_MS = 5000

/** Waits until the process is gone, at most `limitMs`. */
export async function waitUntilGone(driver: RunningDriver, limitMs: number): Promise<boolean> {
  const startedAt = Date.now()
  for (;;) {
    if (!(await driver.look()).alive) return true
    if (Date.now() - startedAt > limitMs) return false
    await delay(100)
  }
}

/**
 * After everything a driver said is stored: it leaves, and its folder goes. What can't be removed now is said in the run's events and tried
 * again by the next sweep there.
 */
export async function tidyAfterDriver(runs: RunsStore, runId: string, driver: RunningDriver): Promise<void> {
  try {
    if (!(await waitUntilGone(driver, LEAVE_LIMIT_MS))) {
      await driver.terminate('TERM')
      if (!(await waitUntilGone(driver, LEAVE_LIMIT_MS))) await driver.terminate('KILL')
    }
    await driver.folder.remove()
    if (isRunOver(runs.find(runId).state)) await patiently(() => runs.setLocation(runId, undefined))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    await patiently(() => runs.addEvent(runId, 'warn', `The run folder ${driver.folder.path} could not be removed: ${why}`))
  } finally {
    await driver.release().catch(() => undefined)
  }
}
