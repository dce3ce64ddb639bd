import { SpeedgridError } from '../../../shared/model/error.ts'
import type { CellMemory } from './attempt.ts'
import type { CutReason } from './cut.ts'
import type { SweepContext } from './sweep-context.ts'

/** The server died and the plan says stop: ends the run. */
export class ServerGone extends Error {
  readonly error: SpeedgridError
  constructor(error: SpeedgridError) {
    super(error.message)
    this.name = 'ServerGone'
    this.error = error
  }
}

export interface Death {
  cause: string
  logLines: string[]
}

/** Failures that a dead server causes; a refused request or a broken stream of a living one is not among them. */
function mayBeDeath(cut: CutReason | undefined): boolean {
  if (cut?.kind === 'failed') return true
  if (cut?.kind !== 'stream') return false
  const { kind, status = 0 } = cut.error
  return kind === 'cut' || kind === 'connect' || kind === 'error_event' || status >= 500
}

/** After a failure: whether the server is gone, with the last lines of its log. */
export async function findDeath(context: SweepContext, cut: CutReason | undefined): Promise<Death | undefined> {
  if (!mayBeDeath(cut)) return undefined
  const cause = await context.watch.findDeath()
  return cause === undefined ? undefined : { cause, logLines: context.watch.logLines() }
}

/** Ends the run or waits for the server to come back, as the plan says. What the old server had cached is forgotten. */
export async function afterDeath(context: SweepContext, memory: CellMemory, death: Death): Promise<void> {
  const { plan, commands, watch } = context
  if (plan.onServerGone === 'stop') {
    throw new ServerGone(
      new SpeedgridError('server_gone', `The server is gone: ${death.cause}.`, {
        evidence: death.logLines.slice(-10),
        nextStep: 'Start the server again and resume the run.',
      }),
    )
  }
  context.event('warn', `the server is gone (${death.cause}); waiting for it`)
  memory.seenContexts.clear()
  memory.warmedStreams.clear()
  memory.warmedBatches.clear()
  memory.barrier.ownLeftovers = false
  const work = commands.begin()
  try {
    await watch.whenBack(work.signal)
  } finally {
    work.end()
  }
  context.event('info', 'the server answers again')
}
