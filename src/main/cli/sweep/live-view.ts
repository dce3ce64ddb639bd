import type { SweepHandle } from '../../sweep/types.ts'
import type { CommandContext } from '../context.ts'
import { readKeys } from '../live/keys.ts'
import { createPainter } from '../live/painter.ts'
import { render } from '../live/render.ts'
import type { Picture } from '../live/picture.ts'

interface LiveActions {
  control: SweepHandle['control']
  /** undefined where the run can't go on without us. */
  detach: (() => Promise<void>) | undefined
}

interface LiveView {
  touch(): void
  /** A line of our own among the events. */
  note(text: string): void
  end(): void
}

const STOP_QUESTION = "Stop this run? q: yes   other keys: no   (what isn't measured yet is cancelled)"

/** The grid drawn in place, and the keys that steer the run. */
export function createLiveView(context: CommandContext, picture: Picture, actions: LiveActions): LiveView {
  const { deps, output, interrupts } = context
  const { stderr } = deps
  let asking = false
  const keyHelp = () =>
    [
      picture.view.state === 'paused' ? 'p go on' : 'p pause',
      's skip cell',
      'q stop',
      ...(actions.detach ? ['d detach'] : []),
      'Ctrl-C interrupt',
    ].join('   ')
  const painter = createPainter(stderr, () =>
    render(picture, {
      columns: stderr.columns ?? 80,
      rows: stderr.rows ?? 24,
      nowMs: deps.now(),
      style: output.style,
      keys: keyHelp(),
      ...(asking && { notice: STOP_QUESTION }),
    }),
  )
  const note = (text: string, level: 'info' | 'warn' = 'info') => {
    picture.notes.push({ at: new Date(deps.now()).toISOString(), level, text })
    painter.touch()
  }
  const tell = (text: string, work: Promise<void>) => {
    note(text)
    work.catch((error: unknown) =>
      note(`That didn't reach the driver: ${error instanceof Error ? error.message : 'unknown'}`, 'warn'),
    )
  }
  const onKey = (key: string) => {
    if (asking) {
      asking = false
      if (key === 'q') tell('stopping', actions.control({ kind: 'stop' }))
      return painter.touch()
    }
    if (key === 'p') {
      const paused = picture.view.state === 'paused'
      tell(
        paused ? 'going on' : 'pausing; the cell that runs starts again later',
        actions.control({ kind: paused ? 'resume' : 'pause' }),
      )
    } else if (key === 's') {
      const { live } = picture.view
      if (!live) return note('no cell is being measured')
      tell(
        'skipping this cell',
        actions.control({ kind: 'skip', contextTokens: live.contextTokens, concurrency: live.concurrency }),
      )
    } else if (key === 'q') {
      asking = true
      painter.touch()
    } else if (key === 'd') {
      if (actions.detach) tell('detaching', actions.detach())
      else note('this run ends with this command: there is nothing to detach from')
    }
  }
  const keys = readKeys(deps.stdin, { onKey, onInterrupt: () => interrupts.press() })
  context.setScreen({
    pause() {
      const backToPainting = painter.pause()
      const backToKeys = keys.pause()
      return () => {
        backToKeys()
        backToPainting()
      }
    },
  })
  return {
    touch: () => painter.touch(),
    note,
    end() {
      context.setScreen(undefined)
      keys.dispose()
      painter.end({ keep: deps.stdout.isTTY !== true })
    },
  }
}
