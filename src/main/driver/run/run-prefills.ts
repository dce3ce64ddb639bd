import { asCut, type CutReason, cutText } from './cut.ts'
import { failedPrefill } from './prefill.ts'
import type { CellsRun } from './run-cells.ts'
import { afterDeath, MAX_DEATHS } from './server-gone.ts'
import { findTrouble, type Trouble, troubleText } from './trouble.ts'

/**
 * Prefill samples of contexts that no cell's scout will bring, ascending, before the matrix. A failed one is recorded and the run goes on;
 * one that the link or the server broke off is sampled again.
 */
export async function runPrefills(run: CellsRun, contexts: number[]): Promise<void> {
  const { context, prefills } = run
  const { clock, commands } = context
  const waiting = [...contexts].sort((a, b) => a - b)
  for (let contextTokens = waiting.shift(); contextTokens !== undefined; contextTokens = waiting.shift()) {
    await context.waits.untilReady()
    const work = commands.begin()
    const begun = { atMs: clock.now(), linkLosses: commands.link.losses }
    const startedWallMs = clock.wallMs()
    let reason: CutReason | undefined
    try {
      await prefills.measureAlone(contextTokens, work.signal)
    } catch (error) {
      const cut = asCut(error)
      reason = cut.reason
      if (reason.kind === 'stop' || reason.kind === 'interrupt') throw cut
    } finally {
      work.end()
    }
    if (reason === undefined) continue
    const trouble = reason.kind === 'pause' ? undefined : await findTrouble(context, reason, begun)
    const isDone = reason.kind !== 'pause' && (trouble === undefined || isDeadly(run, contextTokens, trouble))
    if (isDone) prefills.drop(contextTokens)
    else waiting.unshift(contextTokens)
    if (reason.kind === 'pause') continue
    const text = trouble === undefined ? cutText(reason) : `${troubleText(trouble)} (${cutText(reason)})`
    const result = failedPrefill(contextTokens, isDone ? 'error' : 'cancelled', text, startedWallMs, clock)
    if (trouble) result.cutBy = trouble.kind === 'link' ? 'link_lost' : 'server_gone'
    context.write({ kind: 'prefill', result })
    if (trouble?.kind === 'server') await afterDeath(run, trouble)
  }
}

/** Counts a death of the server in this prefill. */
function isDeadly(run: CellsRun, contextTokens: number, trouble: Trouble): boolean {
  if (trouble.kind !== 'server') return false
  const deaths = (run.prefillDeaths.get(contextTokens) ?? 0) + 1
  run.prefillDeaths.set(contextTokens, deaths)
  return deaths >= MAX_DEATHS
}
