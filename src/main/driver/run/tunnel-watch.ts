import type { DriverInput } from '../../../shared/model/job.ts'
import type { Clock } from './clock.ts'
import type { Commands } from './commands.ts'

/** The engine says something every second. */
const SILENCE_MS = 3000
const LOOK_MS = 500

type Said = Extract<DriverInput, { kind: 'link' }>

/** Keeps the commands told how the tunnel stands: what the engine says of it, and that an engine which says nothing carries nothing. */
export function watchTunnel(options: { clock: Clock; commands: Pick<Commands, 'linkDown' | 'linkUp'> }): {
  /** A line of the engine's, of whatever kind. */
  heard: () => void
  say: (said: Said) => void
  stop: () => void
} {
  const { clock, commands } = options
  let said: Said = { kind: 'link', state: 'up' }
  /** Absent until the first line: the clock starts there. */
  let heardMs: number | undefined
  let quietLooks = 0

  const tell = () => {
    if (said.state !== 'up') commands.linkDown(said.reason ?? 'no answer from the host', said.state === 'lost')
    else if (quietLooks > 1) commands.linkDown('the engine says nothing')
    else commands.linkUp()
  }
  const stop = clock.every(LOOK_MS, () => {
    if (heardMs === undefined || clock.now() - heardMs < SILENCE_MS) return
    quietLooks += 1
    // Twice: had it been us who stood still, its lines would have been read in between.
    if (quietLooks === 2) tell()
  })
  return {
    stop,
    heard() {
      heardMs = clock.now()
      const wasQuiet = quietLooks > 1
      quietLooks = 0
      if (wasQuiet) tell()
    },
    say(now) {
      said = now
      tell()
    },
  }
}
