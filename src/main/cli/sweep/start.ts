import { SpeedgridError } from '../../../shared/model/error.ts'
import type { SweepHandle } from '../../sweep/types.ts'
import type { CommandContext } from '../context.ts'

/** How long Ctrl-C waits for a start that is under way: interrupting the run is better than leaving half of one. */
const START_GRACE_MS = 10_000

/** Waits for a run to start. At Ctrl-C it is still waited for a moment, so that the run can be interrupted in good order. */
export async function startedOrInterrupted(context: CommandContext, starting: Promise<SweepHandle>): Promise<SweepHandle> {
  const { interrupts } = context
  let giveUp: (error: Error) => void = () => {}
  const gaveUp = new Promise<never>((_, reject) => {
    giveUp = reject
  })
  gaveUp.catch(() => {})
  let timer: NodeJS.Timeout | undefined
  const release = interrupts.takeOver(() => {
    context.output.progress('Interrupting…')
    timer = setTimeout(() => giveUp(new SpeedgridError('interrupted', 'Interrupted before the run had started.')), START_GRACE_MS)
  })
  try {
    return await Promise.race([starting, gaveUp])
  } finally {
    clearTimeout(timer)
    release()
  }
}
