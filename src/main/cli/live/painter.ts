import type { OutputStream } from '../deps.ts'

const HIDE_CURSOR = '\u001b[?25l'
const SHOW_CURSOR = '\u001b[?25h'
const CLEAR_LINE = '\u001b[2K'
const CLEAR_BELOW = '\u001b[J'

/** At most ten pictures a second. */
const FRAME_MS = 100

interface Painter {
  /** Something changed: draws soon. */
  touch(): void
  /** Takes the picture off the screen; returns how to bring it back. */
  pause(): () => void
  /** Removes the picture (`keep: false`) or leaves its last state, and restores the cursor. Nothing is drawn afterwards. */
  end(options?: { keep?: boolean }): void
}

/** Draws lines in place, below what is already on the terminal. */
export function createPainter(stream: OutputStream, picture: () => string[]): Painter {
  let drawn = 0
  let timer: NodeJS.Timeout | undefined
  let paused = 0
  let ended = false

  const erase = () => {
    if (drawn > 0) stream.write(`${up(drawn - 1)}\r${CLEAR_BELOW}`)
    drawn = 0
  }
  const draw = () => {
    timer = undefined
    if (paused > 0 || ended) return
    const lines = picture()
    const body = lines.map((line) => `${CLEAR_LINE}${line}`).join('\n')
    stream.write(`${HIDE_CURSOR}${drawn > 0 ? `${up(drawn - 1)}\r` : ''}${body}${CLEAR_BELOW}`)
    drawn = lines.length
  }
  const onResize = () => {
    // A terminal that got narrower has wrapped the old lines: their number is unknown now.
    if (drawn > 0 && paused === 0 && !ended) stream.write('\u001b[2J\u001b[H')
    drawn = 0
    draw()
  }
  // Whatever way the process leaves, the person gets the cursor back.
  const onExit = () => void stream.write(`${SHOW_CURSOR}\n`)
  process.once('exit', onExit)
  stream.on?.('resize', onResize)
  // Clocks and estimates move also when nothing is said.
  const tick = setInterval(() => draw(), 1000)
  draw()
  return {
    touch() {
      timer ??= setTimeout(draw, FRAME_MS)
    },
    pause() {
      paused += 1
      erase()
      stream.write(SHOW_CURSOR)
      let back = false
      return () => {
        if (back) return
        back = true
        paused -= 1
        draw()
      }
    },
    end({ keep = false } = {}) {
      if (ended) return
      if (keep) draw()
      ended = true
      clearTimeout(timer)
      clearInterval(tick)
      stream.off?.('resize', onResize)
      process.off('exit', onExit)
      if (!keep) erase()
      stream.write(keep ? `\n${SHOW_CURSOR}` : SHOW_CURSOR)
    },
  }
}

const up = (lines: number) => (lines > 0 ? `\u001b[${lines}A` : '')
