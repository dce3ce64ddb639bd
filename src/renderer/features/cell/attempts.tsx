import { durationText, totalWithUnit } from '../../../shared/format/index.ts'
import type { CellDetail } from '../../../shared/contract/runs.ts'
import { StatusGlyph } from '../../ui/status-glyph.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import classes from './cell.module.css'

type AttemptView = CellDetail['attempts'][number]

interface AttemptsProps {
  attempts: readonly AttemptView[]
  shown: AttemptView | undefined
  onShow: (attempt: AttemptView) => void
}

/** Every try at the cell; the shown one's figures stand above. */
export function Attempts({ attempts, shown, onShow }: AttemptsProps) {
  return (
    <ol className={classes.attempts}>
      {attempts.map((attempt) => (
        <li key={`${attempt.repeat}/${attempt.attempt}`}>
          <button type="button" className={classes.attempt} aria-pressed={attempt === shown} onClick={() => onShow(attempt)}>
            <StatusGlyph status={attempt.status} />
            <span>
              {attempts.some((other) => other.repeat !== attempt.repeat)
                ? `Repeat ${attempt.repeat}, try ${attempt.attempt}`
                : `Try ${attempt.attempt}`}
            </span>
            <span className="figure">{attempt.status === 'valid' ? totalWithUnit(attempt.figures) : (attempt.reason ?? '')}</span>
            <span className={classes.quiet}>
              <TimeText at={attempt.startedAt} />
            </span>
          </button>
        </li>
      ))}
    </ol>
  )
}

const PHASES = ['barrier', 'warmup', 'scout', 'fill', 'window', 'drain'] as const
const PHASE_WORDS: Record<string, string> = {
  barrier: 'clearing',
  warmup: 'warm-up',
  scout: 'prefill',
  fill: 'filling',
  window: 'window',
  drain: 'draining',
}

/** Where the seconds of an attempt went. */
export function PhaseTimes({ phaseSeconds }: { phaseSeconds: Record<string, number> }) {
  const known = PHASES.flatMap((phase) => {
    const seconds = phaseSeconds[phase]
    return seconds === undefined ? [] : [`${PHASE_WORDS[phase] ?? phase} ${durationText(seconds)}`]
  })
  return known.length === 0 ? null : <p className={classes.quiet}>{known.join(' · ')}</p>
}
