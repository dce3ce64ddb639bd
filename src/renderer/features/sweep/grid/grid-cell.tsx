import { memo } from 'react'
import type { CellRow, PrefillRow } from '../../../../shared/model/run.ts'
import { rateText } from '../../../../shared/format/index.ts'
import { STATUS_LABELS } from '../../../../shared/report/statuses.ts'
import { STATUS_GLYPHS } from '../../../ui/statuses.ts'
import { useSweep } from '../state/sweep-feed.ts'
import { cellKey } from '../state/sweep-state.ts'
import { type BaselineCells, baselineNote } from './baseline.ts'
import { cellText, spokenCell } from './cell-text.ts'
import { cellColors, type Theme } from './color-scale.ts'
import classes from './grid.module.css'
import { type Metric, shortMs } from './metrics.ts'
import { RunningCell } from './running-cell.tsx'
import type { Scale } from './scale.ts'

interface CellProps {
  contextTokens: number
  row: number
  column: number
  isFocus: boolean
  isSelected: boolean
  isOpen: boolean
}

interface GridCellProps extends CellProps {
  concurrency: number
  metric: Metric
  scale: Scale | undefined
  theme: Theme
  baseline: BaselineCells | undefined
}

const place = ({ row, column, isFocus, isSelected, isOpen }: CellProps) => ({
  role: 'gridcell',
  'data-row': row,
  'data-column': column,
  'aria-colindex': column + 2,
  'aria-selected': isSelected,
  'data-open': isOpen || undefined,
  tabIndex: isFocus ? 0 : -1,
})

/** One cell. It listens for its own row only: a change elsewhere doesn't render it. */
export const GridCell = memo(function GridCell(props: GridCellProps) {
  const { contextTokens, concurrency, metric } = props
  const cell = useSweep((state) => state.cells.get(cellKey(contextTokens, concurrency)))
  const live = useSweep(({ live }) =>
    live?.contextTokens === contextTokens && live.concurrency === concurrency ? live : undefined,
  )
  if (live) {
    return (
      <div
        {...place(props)}
        className={classes.cell}
        data-status="running"
        aria-label={`${spokenPlace(cell, metric)}being measured`}
      >
        <RunningCell live={live} />
      </div>
    )
  }
  if (!cell) return <div {...place(props)} className={classes.cell} data-status="absent" aria-label="not in the plan" />
  return <SettledCell {...props} cell={cell} />
})

const spokenPlace = (cell: CellRow | undefined, metric: Metric) => (cell ? `${spokenCell(cell, metric).split(':')[0]}: ` : '')

function SettledCell({ cell, ...props }: GridCellProps & { cell: CellRow }) {
  const { metric, scale, theme, baseline } = props
  const text = cellText(cell, metric)
  const value = cell.status === 'valid' ? metric.read(cell) : undefined
  const colors = value === undefined || !scale ? undefined : cellColors(theme, scale.position(value))
  const note = baseline && baselineNote(cell, baseline.get(cellKey(cell.contextTokens, cell.concurrency)), metric)
  const spoken = note ? `, ${note.difference} against the baseline${note.tone === 'noise' ? ', inside the noise' : ''}` : ''
  return (
    <div
      {...place(props)}
      className={classes.cell}
      data-status={cell.status}
      aria-label={`${spokenCell(cell, metric)}${spoken}`}
      style={colors && { backgroundColor: colors.background, color: colors.ink }}
    >
      {text.doubts > 0 && <span className={classes.doubt} aria-hidden />}
      {cell.status === 'valid' ? (
        <>
          <span className={classes.primary}>{text.primary}</span>
          <span className={classes.secondary}>
            {note !== undefined && text.effective !== undefined && `${text.effective} `}
            {text.secondary}
          </span>
        </>
      ) : (
        <StatusText status={cell.status} detail={text.secondary} />
      )}
      {(text.effective !== undefined || note !== undefined) && (
        <span className={classes.third}>
          {note === undefined && <span>{text.effective}</span>}
          {note !== undefined && (
            <>
              <span className={classes.base}>{note.figure}</span>
              <span className={classes.difference} data-tone={note.tone}>
                {note.tone === 'noise' ? '' : note.difference.startsWith('+') ? '▲ ' : '▼ '}
                {note.difference}
              </span>
            </>
          )}
        </span>
      )}
    </div>
  )
}

function StatusText({ status, detail }: { status: Exclude<CellRow['status'], 'valid'>; detail: string }) {
  if (status === 'pending') return <span className={classes.pending}>{STATUS_GLYPHS.pending}</span>
  return (
    <span className={classes.word}>
      <span className={classes.glyph}>{STATUS_GLYPHS[status]}</span>
      <span className={classes.label}>{status === 'over_capacity' ? 'Over' : STATUS_LABELS[status]}</span>
      {detail !== '' && <span className={classes.secondary}>{detail}</span>}
    </span>
  )
}

/** The prefill of a context. It has no place on the colour scale: it is another figure. */
export const PrefillCell = memo(function PrefillCell(props: CellProps) {
  const row = useSweep((state) => state.prefill.get(props.contextTokens))
  return (
    <div
      {...place(props)}
      className={classes.cell}
      data-status={row?.status ?? 'absent'}
      data-prefill
      aria-label={spokenPrefill(row)}
    >
      {row?.status === 'valid' && (
        <>
          {row.flags.length > 0 && <span className={classes.doubt} aria-hidden />}
          <span className={classes.primary}>{rateText(row.tokensPerSecond)}</span>
          <span className={classes.secondary}>{shortMs(row.ttftMs)}</span>
        </>
      )}
      {row !== undefined && row.status !== 'valid' && <StatusText status={row.status} detail="" />}
    </div>
  )
})

function spokenPrefill(row: PrefillRow | undefined): string {
  if (!row) return 'prefill: not in the plan'
  if (row.status !== 'valid') return `prefill: ${STATUS_LABELS[row.status]}${row.reason === undefined ? '' : `, ${row.reason}`}`
  return `prefill: ${rateText(row.tokensPerSecond)} tokens per second, ${shortMs(row.ttftMs)} to first token`
}
