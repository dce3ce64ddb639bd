import { asCut, cutText } from './cut.ts'
import { failedPrefill } from './prefill.ts'
import { type CellsRun, waitWhilePaused } from './run-cells.ts'
import { afterDeath, findDeath } from './server-gone.ts'

/** Prefill samples of contexts that no cell's scout will bring, ascending, before the matrix. A failed one is recorded and the run goes on. */
export async function runPrefills(run: CellsRun, contexts: number[]): Promise<void> {
  const { context, prefills } = run
  const waiting = [...contexts].sort((a, b) => a - b)
  for (let contextTokens = waiting.shift(); contextTokens !== undefined; contextTokens = waiting.shift()) {
    await waitWhilePaused(run)
    const work = context.commands.begin()
    const startedWallMs = context.clock.wallMs()
    try {
      await prefills.measureAlone(contextTokens, work.signal)
    } catch (error) {
      const cut = asCut(error)
      const { reason } = cut
      if (reason.kind === 'pause') waiting.unshift(contextTokens)
      else if (reason.kind === 'stop' || reason.kind === 'interrupt') throw cut
      else {
        const message = cutText(reason)
        const death = await findDeath(context, reason)
        const cause = death ? `the server is gone: ${death.cause} (${message})` : message
        prefills.drop(contextTokens)
        context.write({ kind: 'prefill', result: failedPrefill(contextTokens, 'error', cause, startedWallMs, context.clock) })
        if (death) await afterDeath(context, run.memory, death)
      }
    } finally {
      work.end()
    }
  }
}
