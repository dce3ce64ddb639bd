import type { EngineFacts } from '../../../shared/model/engine-facts.ts'
import { type ErrorInfo, SpeedgridError } from '../../../shared/model/error.ts'
import { asCut, Cut, cutText } from './cut.ts'
import { type CarryOutDeps, type Prepared, prepare } from './prepare.ts'
import { type CellsRun, runCells, settleRest, waitWhilePaused } from './run-cells.ts'
import { runPrefills } from './run-prefills.ts'
import { createRunState, type RunEnd, type RunStateMachine } from './run-state.ts'
import { ServerGone } from './server-gone.ts'
import { startBeats, startSamples } from './beats.ts'
import { warmUp } from './warm-up.ts'

function firstRequestFailed(cut: Cut): SpeedgridError {
  const { reason } = cut
  const code = reason.kind === 'stream' && reason.error.kind === 'unauthorized' ? 'unauthorized' : 'http'
  return new SpeedgridError(code, `The first request to the server failed: ${cutText(reason)}.`, {
    nextStep: code === 'unauthorized' ? 'Give the key by --api-key-env VAR.' : "Look at the server's log.",
  })
}

/** Warms the server up; what its first stream shows of its abilities goes into the facts. */
async function warmUpRun(run: CellsRun): Promise<void> {
  const { context } = run
  const contexts = [...run.queue.waiting().map((cell) => cell.contextTokens), ...run.prefills.wanted()]
  for (;;) {
    await waitWhilePaused(run)
    const work = context.commands.begin()
    try {
      const first = await warmUp({ client: context.client, book: context.book, contexts, signal: work.signal })
      const capabilities: EngineFacts['capabilities'] = {
        ...context.facts.capabilities,
        continuousUsage: first.tokenSource === 'usage',
        cachedTokens: first.cachedTokens !== undefined,
      }
      context.facts.capabilities = capabilities
      context.write({ kind: 'facts', facts: context.facts, requestTemplate: await context.book.template() })
      return
    } catch (error) {
      const cut = asCut(error)
      if (cut.reason.kind === 'pause') continue
      if (cut.reason.kind === 'stop' || cut.reason.kind === 'interrupt') throw cut
      throw firstRequestFailed(cut)
    } finally {
      work.end()
    }
  }
}

/** Contexts whose prefill no cell's scout will bring: not decoded at all, or in a mode whose scouts aren't cold. */
function standalonePrefills(prepared: Prepared): number[] {
  const { context, queue, prefills } = prepared.run
  const scouted = context.plan.promptMode === 'shared' || context.plan.promptMode === 'shared-prefix'
  const decoded = new Set(queue.waiting().map((cell) => cell.contextTokens))
  return prefills.wanted().filter((tokens) => !scouted || tokens === 0 || !decoded.has(tokens))
}

async function measureAll(deps: CarryOutDeps, prepared: Prepared): Promise<RunEnd> {
  const { run } = prepared
  const { context, queue, progress } = run
  const { clock, commands, write } = deps
  const stopSamples = startSamples({ feed: context.feed, gpu: context.gpu, clock, write })
  const { lastAckMs } = deps
  const stopBeats = startBeats({ clock, commands, queue, progress, lastAckMs, ackLimitHours: context.plan.ackLimitHours, write })
  try {
    run.runState.go('running')
    if (queue.waiting().length > 0 || run.prefills.wanted().length > 0) await warmUpRun(run)
    await runPrefills(run, standalonePrefills(prepared))
    await runCells(run)
    // What a scout should have brought, but its cells were skipped or failed before.
    await runPrefills(run, run.prefills.wanted())
    await runCells(run)
    return { state: 'finished' }
  } finally {
    stopSamples()
    stopBeats()
  }
}

function endOf(error: unknown, prepared: Prepared | undefined): RunEnd {
  if (error instanceof Cut && error.reason.kind === 'interrupt') return { state: 'interrupted', reason: error.reason.reason }
  if (error instanceof Cut && error.reason.kind === 'stop') {
    if (prepared) settleRest(prepared.run, error.reason.reason)
    return { state: 'stopped', reason: error.reason.reason }
  }
  const known = error instanceof ServerGone ? error.error : error
  const info: ErrorInfo =
    known instanceof SpeedgridError
      ? known.toInfo()
      : { code: 'internal', cause: `The driver failed: ${error instanceof Error ? error.message : String(error)}`, evidence: [] }
  // A full disk takes no more lines; what is missing stays pending and can be resumed.
  if (info.code === 'disk_full' || info.code === 'read_only') return { state: 'interrupted', reason: info.cause, error: info }
  if (prepared) settleRest(prepared.run, info.cause)
  return { state: 'failed', reason: info.cause, error: info }
}

/** Carries out a whole job: from the first question to the server to the `end` line. Never rejects. */
export async function carryOut(deps: CarryOutDeps): Promise<RunEnd> {
  const runState: RunStateMachine = createRunState(deps.job.epoch, deps.write)
  let prepared: Prepared | undefined
  let end: RunEnd
  try {
    runState.go('preparing')
    prepared = await prepare(deps, runState)
    end = deps.job.dryRun ? { state: 'finished', reason: 'dry run' } : await measureAll(deps, prepared)
  } catch (error) {
    end = endOf(error, prepared)
  }
  runState.end(end)
  return end
}
