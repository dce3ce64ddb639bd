import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type ErrorInfo, SpeedgridError } from '../../shared/model/error.ts'
import type { Plan } from '../../shared/model/plan.ts'
import type { SpoolLine } from '../../shared/model/spool.ts'
import { NO_PROGRESS } from './make-job.ts'
import type { ResolvedTarget } from './resolve-target.ts'
import { readLogTail, type RunningDriver } from './running-driver.ts'
import { createSpoolTail } from './spool-tail.ts'
import { type DriverStarter, locateDriver, startDriver } from './start-driver.ts'
import type { DryRun } from './types.ts'

const POLL_MS = 100
const LOOK_AFTER_MS = 3000

/** Asks a driver what it would do. Nothing is stored, and its folder is removed. */
export async function dryRun(starter: DriverStarter, target: ResolvedTarget, plan: Plan): Promise<DryRun> {
  const name = `dry-${randomBytes(5).toString('hex')}`
  const location = locateDriver(starter.dataDir, name, target, 1)
  const driver = await startDriver(starter, location, {
    runId: name,
    epoch: 1,
    plan,
    target,
    progress: NO_PROGRESS,
    dryRun: true,
  })
  try {
    return readAnswer(await readToEnd(driver, name, target.apiKey), target)
  } finally {
    await driver.release().catch(() => undefined)
    await driver.terminate('TERM').catch(() => undefined)
    // A folder that stays is found by removeLeftovers.
    await driver.folder.remove().catch(() => undefined)
  }
}

async function readToEnd(driver: RunningDriver, runId: string, apiKey: string | undefined): Promise<SpoolLine[]> {
  const tail = createSpoolTail({ folder: driver.folder, runId, epoch: 1, afterLine: 0 })
  const lines: SpoolLine[] = []
  let grewAt = Date.now()
  let gone = false
  for (;;) {
    const chunk = await tail.next()
    for (const line of chunk.lines) lines.push(line)
    if (lines.at(-1)?.kind === 'end') return lines
    if (chunk.more) {
      grewAt = Date.now()
      continue
    }
    if (gone) {
      const evidence = await readLogTail(driver.folder, apiKey)
      throw new SpeedgridError('internal', 'The driver ended without an answer', { evidence })
    }
    if (Date.now() - grewAt > LOOK_AFTER_MS) {
      gone = !(await driver.look()).alive
      grewAt = Date.now()
    } else {
      await delay(POLL_MS)
    }
  }
}

function readAnswer(lines: SpoolLine[], target: ResolvedTarget): DryRun {
  const end = lines.findLast((line) => line.kind === 'end')
  if (end?.error !== undefined) throw toError(end.error)
  const facts = lines.findLast((line) => line.kind === 'facts')
  const planned = lines.findLast((line) => line.kind === 'planned')
  if (facts === undefined || planned === undefined) {
    throw new SpeedgridError('internal', 'The driver ended without a plan', {
      evidence: end?.reason === undefined ? [] : [end.reason],
    })
  }
  const { place, note } = target.placement
  const { contexts, prefillContexts, cells, estimateSeconds } = planned
  return { facts: facts.facts, contexts, prefillContexts, cells, estimateSeconds, place, placeNote: note }
}

function toError(info: ErrorInfo): SpeedgridError {
  return new SpeedgridError(info.code, info.cause, { evidence: info.evidence, nextStep: info.nextStep })
}
