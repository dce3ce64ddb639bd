import { Tooltip } from '@mantine/core'
import type { CellStatus } from '../../shared/model/cell.ts'
import { STATUS_LABELS } from '../../shared/report/statuses.ts'
import { STATUS_GLYPHS, STATUS_MEANINGS } from './statuses.ts'
import classes from './status-glyph.module.css'

export type GlyphStatus = CellStatus | 'running'

/** A status by its sign, not by its colour alone. With `label` the word stands beside it. */
export function StatusGlyph({ status, label = false }: { status: GlyphStatus; label?: boolean }) {
  const word = status === 'running' ? 'Running' : STATUS_LABELS[status]
  const glyph = (
    <span className={classes.glyph} data-status={status} aria-hidden>
      {STATUS_GLYPHS[status]}
    </span>
  )
  return (
    <Tooltip label={`${word}: ${STATUS_MEANINGS[status]}`}>
      <span className={classes.status}>
        {glyph}
        {label ? <span>{word}</span> : <span className="visually-hidden">{word}</span>}
      </span>
    </Tooltip>
  )
}
