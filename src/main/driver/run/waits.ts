import { SpeedgridError } from '../../../shared/model/error.ts'
import type { Plan } from '../../../shared/model/plan.ts'
import type { Clock } from './clock.ts'
import type { Commands } from './commands.ts'
import { Cut } from './cut.ts'
import type { RunStateMachine } from './run-state.ts'
import type { ServerWatch } from './server-watch.ts'
import { unlessEnding } from './unless-ending.ts'

/** The run can't go on now, and can be resumed: ends it as interrupted. */
export class BrokenOff extends Error {
  readonly error: SpeedgridError
  constructor(error: SpeedgridError) {
    super(error.message)
    this.name = 'BrokenOff'
    this.error = error
  }
}

export interface Death {
  cause: string
  logLines: string[]
}

/** What the run stands still for. Each throws a Cut where the run is to end, BrokenOff where it has waited long enough. */
export interface Waits {
  /** Until the person lets it go on, and the tunnel is there. */
  untilReady(): Promise<void>
  /** Until the tunnel is there. */
  forLink(): Promise<void>
  /** Until the server that died is back and serves the same model; BrokenOff at once where the plan says stop. */
  forServer(death: Death, servedModel?: string): Promise<void>
}

/** As long as the engine itself tries to reach the host again. */
const LINK_LIMIT_MS = 10 * 60_000
/** Somebody has to notice, and the largest models take half an hour to load. */
const SERVER_LIMIT_MS = 60 * 60_000
const LINK_POLL_MS = 100
const SERVER_POLL_MS = 1000

export function serverGone({ cause, logLines }: Death, more = ''): SpeedgridError {
  return new SpeedgridError('server_gone', `The server is gone${more}: ${cause}.`, {
    evidence: logLines.slice(-10),
    nextStep: 'Start the server again and resume the run.',
  })
}

function linkLost(reason: string, more: string): SpeedgridError {
  return new SpeedgridError('link_lost', `The link to the host was lost${more}: ${reason}.`, {
    nextStep: 'Resume the run when the host can be reached again.',
  })
}

export function createWaits(deps: {
  plan: Plan
  dryRun: boolean
  clock: Clock
  commands: Commands
  watch: ServerWatch
  runState: RunStateMachine
  event: (level: 'info' | 'warn' | 'error', text: string) => void
}): Waits {
  const { plan, clock, commands, watch, runState, event } = deps
  const isPausing = () => commands.paused && !commands.ending

  async function whilePaused(): Promise<void> {
    if (isPausing() && runState.state !== 'preparing') {
      runState.go('paused', 'paused by the person')
      await commands.whenGoing()
      if (!commands.ending) runState.go('running')
    }
    if (commands.ending) throw new Cut(commands.ending)
  }

  /** Looks until nothing is wrong any more; what was still wrong when the limit was over. A pause stops the time. */
  async function poll(
    limitMs: number,
    pollMs: number,
    look: () => Promise<string | undefined>,
    isHopeless: () => boolean,
  ): Promise<string | undefined> {
    let endMs = clock.now() + limitMs
    for (;;) {
      const pausedAtMs = clock.now()
      await whilePaused()
      endMs += clock.now() - pausedAtMs
      const wrong = await unlessEnding(commands, look())
      if (wrong === undefined || isHopeless() || clock.now() >= endMs) return wrong
      await unlessEnding(commands, clock.sleep(pollMs))
    }
  }

  async function forLink(): Promise<void> {
    const { down } = commands.link
    if (down === undefined) return
    event('warn', `the link to the host is down (${down}); waiting for it`)
    const look = () => Promise.resolve(commands.link.down)
    const wrong = await poll(LINK_LIMIT_MS, LINK_POLL_MS, look, () => commands.link.isFinal)
    if (wrong !== undefined) {
      const after = commands.link.isFinal ? '' : ` and did not come back within ${LINK_LIMIT_MS / 60_000} minutes`
      throw new BrokenOff(linkLost(wrong, after))
    }
    event('info', 'the link to the host is up again')
  }

  return {
    forLink,
    async untilReady() {
      do {
        await whilePaused()
        await forLink()
      } while (isPausing() || commands.link.down !== undefined)
    },
    async forServer(death, servedModel) {
      if (plan.onServerGone === 'stop' || deps.dryRun) throw new BrokenOff(serverGone(death))
      event('warn', `the server is gone (${death.cause}); waiting for it`)
      const look = async () => (await watch.look(servedModel))?.cause
      const wrong = await poll(SERVER_LIMIT_MS, SERVER_POLL_MS, look, () => false)
      if (wrong !== undefined) {
        throw new BrokenOff(
          serverGone({ ...death, cause: wrong }, ` and did not come back within ${SERVER_LIMIT_MS / 60_000} minutes`),
        )
      }
      watch.forgetProcess()
      event('info', 'the server answers again')
    },
  }
}
