import type { CellsRun } from './run-cells.ts'
import type { Death } from './waits.ts'
import { warmUpRun } from './warm-up-run.ts'

/** A cell or prefill in which the server died so often is what kills it: recorded as an error, or the run would never get past it. */
export const MAX_DEATHS = 2

/** Waits for the server as the plan says, and begins anew with it: what the old one had cached and compiled is forgotten. */
export async function afterDeath(run: CellsRun, death: Death): Promise<void> {
  const { context, memory } = run
  await context.waits.forServer(death, context.facts.servedModel)
  memory.seenContexts.clear()
  memory.warmedStreams.clear()
  memory.warmedBatches.clear()
  memory.barrier.ownLeftovers = false
  await warmUpRun(run)
}
