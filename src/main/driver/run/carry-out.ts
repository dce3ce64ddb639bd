import { type ErrorInfo, SpeedgridError } from '../../../shared/model/error.ts'
import { Cut } from './cut.ts'
import { type CarryOutDeps, type Prepared, prepare } from './prepare.ts'
import { runCells, settleRest } from './run-cells.ts'
import { runPrefills } from './run-prefills.ts'
import { createRunState, type RunEnd, type RunStateMachine } from './run-state.ts'
import { createServerWatch } from './server-watch.ts'
import { BrokenOff, createWaits } from './waits.ts'
import { startBeats, startSamples } from './beats.ts'
import { warmUpRun } from './warm-up-run.ts'

/** Contexts whose prefill no cell's scout will bring: not decoded at all, or in a mode whose scouts aren't cold. */
function standalonePrefills(prepared: Prepared): number[] {
  const { context, queue, prefills } = prepared.run
  const scouted = context.plan.promptMode === 'shared' || context.plan.promptMode === 'shared-prefix'
  const decoded = new Set(queue.waiting().map((cell) => cell.contextTokens))
  return prefills.wanted().filter((tokens) => !scouted || tokens === 0 || !decoded.has(tokens))
}

async function measureAll(deps: CarryOutDeps, runState: RunStateMachine, prepared: Prepared): Promise<RunEnd> {
  const { run } = prepared
  const { context, queue, progress } = run
  const { clock, commands, write } = deps
  const stopSamples = startSamples({ feed: context.feed, gpu: context.gpu, clock, write })
  const { lastAckMs } = deps
  const stopBeats = startBeats({ clock, commands, queue, progress, lastAckMs, ackLimitHours: context.plan.ackLimitHours, write })
  try {
    runState.go('running')
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

function endOf(error: unknown, prepared: Prepared | undefined, epoch: number): RunEnd {
  // What is missing stays pending and can be resumed.
  if (error instanceof BrokenOff) return { state: 'interrupted', reason: error.error.message, error: error.error.toInfo() }
  if (error instanceof Cut && error.reason.kind === 'interrupt') return { state: 'interrupted', reason: error.reason.reason }
  if (error instanceof Cut && error.reason.kind === 'stop') {
    if (prepared) settleRest(prepared.run, error.reason.reason)
    return { state: 'stopped', reason: error.reason.reason }
  }
  const info: ErrorInfo =
    error instanceof SpeedgridError
      ? error.toInfo()
      : { code: 'internal', cause: `The driver failed: ${error instanceof Error ? error.message : String(error)}`, evidence: [] }
  // A full disk takes no more lines; what is missing stays pending and can be resumed.
  if (info.code === 'disk_full' || info.code === 'read_only') return { state: 'interrupted', reason: info.cause, error: info }
  // A wrong key or model at a resume doesn't end what others have measured before.
  if (!prepared && epoch > 1) return { state: 'interrupted', reason: info.cause, error: info }
  if (prepared) settleRest(prepared.run, info.cause)
  return { state: 'failed', reason: info.cause, error: info }
}

/** Carries out a whole job: from the first question to the server to the `end` line. Never rejects. */
export async function carryOut(deps: CarryOutDeps): Promise<RunEnd> {
  const { job, client, clock, commands, redact, write } = deps
  const runState: RunStateMachine = createRunState(job.epoch, write)
  const hasTunnel = job.target.socketPath !== undefined
  const watch = createServerWatch({ client, clock, serverProcess: job.serverProcess, hasTunnel, redact })
  const event = (level: 'info' | 'warn' | 'error', text: string) => write({ kind: 'event', level, text })
  const waits = createWaits({ plan: job.plan, dryRun: job.dryRun, clock, commands, watch, runState, event })
  let prepared: Prepared | undefined
  let end: RunEnd
  try {
    runState.go('preparing')
    prepared = await prepare(deps, { watch, waits })
    end = job.dryRun ? { state: 'finished', reason: 'dry run' } : await measureAll(deps, runState, prepared)
  } catch (error) {
    end = endOf(error, prepared, job.epoch)
  }
  runState.end(end)
  return end
}
