import type { RunDocument } from '../../../shared/model/run.ts'
import { EXIT, exitCodeOf } from '../exit-codes.ts'
import type { SessionOutcome } from './session.ts'

/**
 * How a run's end becomes an exit code. Error cells win over a failed run: the cells say what happened. A run the person stopped or
 * interrupted is 130; only the latter can be resumed. One that something else interrupted (a full disk, a driver that died) is the error's.
 */
export function exitCodeOfRun(outcome: SessionOutcome, document: RunDocument): number {
  if (outcome.kind === 'detached') return document.state === 'interrupted' ? EXIT.interrupted : EXIT.done
  if (outcome.state === 'interrupted' && outcome.error) return exitCodeOf(outcome.error.code)
  if (outcome.state === 'interrupted' || outcome.state === 'stopped') return EXIT.interrupted
  const errors = document.cells.some((cell) => cell.status === 'error') || document.prefill.some((row) => row.status === 'error')
  if (errors) return EXIT.errorCells
  if (outcome.state === 'finished') return EXIT.done
  return outcome.error ? exitCodeOf(outcome.error.code) : EXIT.failed
}
