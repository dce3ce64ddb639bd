import { Tooltip } from '@mantine/core'
import { decimalText, durationText } from '../../../../shared/format/index.ts'
import type { PhaseRow } from './phases.ts'
import classes from './timeline.module.css'

const SIGNS: Record<PhaseRow['state'], string> = { done: '✓', running: '▶', failed: '!', cancelled: '×' }

/** When each phase began, and how long it took, on one time line. */
export function Timeline({ rows, totalSeconds }: { rows: readonly PhaseRow[]; totalSeconds: number }) {
  const total = Math.max(totalSeconds, 0.001)
  return (
    <ol className={classes.list} aria-label="Start-up phases">
      {rows.map((row) => (
        <li key={`${row.phase} ${String(row.startSeconds)}`} className={classes.row} data-state={row.state}>
          <span className={classes.sign} aria-hidden>
            {SIGNS[row.state]}
          </span>
          <Tooltip label={row.meaning} disabled={row.meaning === undefined}>
            <span className={classes.label}>
              {row.label}
              <span className="visually-hidden">, {row.state}</span>
            </span>
          </Tooltip>
          <span className={classes.detail} title={row.detail}>
            {row.detail}
            {row.progress !== undefined && ` · ${decimalText(row.progress * 100, 0)} %`}
          </span>
          <span className={classes.seconds}>{durationText(row.seconds)}</span>
          <span className={classes.track} aria-hidden>
            <span
              className={classes.bar}
              style={{
                left: `${String((row.startSeconds / total) * 100)}%`,
                width: `${String(Math.max(0.6, (row.seconds / total) * 100))}%`,
              }}
            />
          </span>
        </li>
      ))}
    </ol>
  )
}
