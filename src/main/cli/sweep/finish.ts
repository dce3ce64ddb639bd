import type { RunDocument } from '../../../shared/model/run.ts'
import { isRunOver } from '../../../shared/model/states.ts'
import { publicRun } from '../../../shared/report/index.ts'
import type { Engine } from '../../engine/types.ts'
import type { SweepHandle } from '../../sweep/types.ts'
import type { CommandContext } from '../context.ts'
import { errorText } from '../errors.ts'
import { EXIT } from '../exit-codes.ts'
import { exitCodeOfRun } from './outcome.ts'
import { followSweep, type SessionOutcome } from './session.ts'
import { summaryText } from './summary.ts'

/** Follows a run to its end and says how it ended: the run as JSON, or its grid and the next command. Returns the exit code. */
export async function carryOut(context: CommandContext, engine: Engine, handle: SweepHandle): Promise<number> {
  const { output, deps } = context
  const outcome = await followSweep(context, engine, handle)
  const document = documentAfter(engine.sweeps.document(handle.runId), outcome)
  const code = exitCodeOfRun(outcome, document)
  output.document(publicRun(document))
  output.result(summaryText(document, { columns: deps.stdout.columns ?? 100, style: output.resultStyle }))
  const goOn = `speedgrid resume ${handle.runId}`
  if (outcome.kind === 'detached') {
    output.warn(
      code === EXIT.interrupted
        ? `Interrupted. Go on with: ${goOn}`
        : `Detached; the driver on the host runs on. Come back with: ${goOn}`,
    )
    return code
  }
  if (outcome.error) output.warn(errorText(outcome.error, output.style))
  if (outcome.state === 'interrupted') output.warn(`Interrupted. Go on with: ${goOn}`)
  // A stopped run is over: what is missing of it is cancelled.
  else if (outcome.state === 'stopped')
    output.warn(`Stopped. Measure with its plan again: speedgrid sweep --like ${handle.runId}`)
  else if (hasFigures(document)) output.progress(`Report: speedgrid report ${handle.runId} --format html`)
  return code
}

/** A history that could not be written any more doesn't know how the run has ended. */
function documentAfter(document: RunDocument, outcome: SessionOutcome): RunDocument {
  if (outcome.kind === 'detached' || isRunOver(document.state) || document.state === outcome.state) return document
  return { ...document, state: outcome.state, ...(outcome.reason === undefined ? {} : { reason: outcome.reason }) }
}

const hasFigures = (document: RunDocument) => [...document.cells, ...document.prefill].some((row) => row.ttftMs !== undefined)
