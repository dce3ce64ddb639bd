import { setTimeout as delay } from 'node:timers/promises'
import { SpeedgridError } from '../../shared/model/error.ts'
import { isRunOver } from '../../shared/model/states.ts'
import type { RunsStore } from '../store/index.ts'
import { patiently } from './patience.ts'
import type { RunningDriver } from './running-driver.ts'

const LEAVE_LIMIT_MS = 5000
const AGAIN_MS = [500, 1000, 2000, 4000]
const PASSING = new Set<string>(['link_lost', 'unreachable'])

/** Waits until the process is gone, at most `limitMs`. */
export async function waitUntilGone(driver: RunningDriver, limitMs: number): Promise<boolean> {
  const startedAt = Date.now()
  for (;;) {
    if (!(await driver.look()).alive) return true
    if (Date.now() - startedAt > limitMs) return false
    await delay(100)
  }
}

/** A link that was lost just now is soon back; waited for no longer than a person likes to wait for the end of a command. */
async function overPassingLoss(work: () => Promise<void>): Promise<void> {
  for (const waitMs of AGAIN_MS) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof SpeedgridError) || !PASSING.has(error.code)) throw error
      await delay(waitMs)
    }
  }
  await work()
}

async function leaveAndRemove(driver: RunningDriver): Promise<void> {
  if (!(await waitUntilGone(driver, LEAVE_LIMIT_MS))) {
    await driver.terminate('TERM')
    if (!(await waitUntilGone(driver, LEAVE_LIMIT_MS))) await driver.terminate('KILL')
  }
  await driver.folder.remove()
}

/**
 * After everything a driver said is stored: it leaves, and its folder goes. What can't be removed now is said in the run's events and tried
 * again by the next sweep there.
 */
export async function tidyAfterDriver(runs: RunsStore, runId: string, driver: RunningDriver): Promise<void> {
  try {
    await overPassingLoss(() => leaveAndRemove(driver))
    if (isRunOver(runs.find(runId).state)) await patiently(() => runs.setLocation(runId, undefined))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    await patiently(() => runs.addEvent(runId, 'warn', `The run folder ${driver.folder.path} could not be removed: ${why}`))
  } finally {
    await driver.release().catch(() => undefined)
  }
}
