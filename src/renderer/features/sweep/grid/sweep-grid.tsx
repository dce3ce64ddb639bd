import { type CSSProperties, memo, useMemo } from 'react'
import { contextLabel, countText } from '../../../../shared/format/index.ts'
import { useSweep } from '../state/sweep-feed.ts'
import type { BaselineCells } from './baseline.ts'
import type { Theme } from './color-scale.ts'
import type { GridColumn } from './copy-cells.ts'
import { GridCell, PrefillCell } from './grid-cell.tsx'
import classes from './grid.module.css'
import type { Metric } from './metrics.ts'
import { inRange, isRange, rangeOf } from './navigation.ts'
import type { Scale } from './scale.ts'
import type { GridControl } from './use-grid-control.ts'

interface SweepGridProps {
  contexts: readonly number[]
  columns: readonly GridColumn[]
  metric: Metric
  scale: Scale | undefined
  theme: Theme
  baseline: BaselineCells | undefined
  control: GridControl
  /** The cell whose details are shown. */
  open: { contextTokens: number; concurrency?: number | undefined } | undefined
}

/** Rows contexts, columns requests at once. */
export const SweepGrid = memo(function SweepGrid({
  contexts,
  columns,
  metric,
  scale,
  theme,
  baseline,
  control,
  open,
}: SweepGridProps) {
  const range = rangeOf(control.focus)
  const ranged = isRange(control.focus)
  const least = baseline ? 118 : 62
  const style = useMemo(
    () =>
      ({
        '--grid-columns': `72px ${columns.map((column) => (column === 'prefill' ? '84px' : `minmax(${least}px, 1fr)`)).join(' ')}`,
      }) as CSSProperties,
    [columns, least],
  )
  return (
    <div className={classes.frame} ref={control.frameRef}>
      <div
        role="grid"
        aria-label={`${metric.label} by context and requests at once`}
        aria-rowcount={contexts.length + 1}
        aria-colcount={columns.length + 1}
        aria-multiselectable="true"
        className={classes.grid}
        data-tall={baseline !== undefined || undefined}
        style={style}
        tabIndex={-1}
        {...control.handlers}
      >
        <div role="row" aria-rowindex={1} className={`${classes.row} ${classes.head}`}>
          <div
            role="columnheader"
            aria-colindex={1}
            className={classes.corner}
            title="Rows: context (prompt length). Columns: requests at once."
          >
            ctx ↓ × →
          </div>
          {columns.map((column, index) => (
            <ColumnHead key={column} column={column} index={index} />
          ))}
        </div>
        {contexts.map((contextTokens, row) => (
          <div key={contextTokens} role="row" aria-rowindex={row + 2} className={classes.row}>
            <RowHead contextTokens={contextTokens} />
            {columns.map((column, index) => {
              const place = {
                contextTokens,
                row,
                column: index,
                isFocus: control.focus.row === row && control.focus.column === index,
                isSelected: ranged && inRange(range, row, index),
                isOpen: open?.contextTokens === contextTokens && open.concurrency === (column === 'prefill' ? undefined : column),
              }
              return column === 'prefill' ? (
                <PrefillCell key={column} {...place} />
              ) : (
                <GridCell
                  key={column}
                  {...place}
                  concurrency={column}
                  metric={metric}
                  scale={scale}
                  theme={theme}
                  baseline={baseline}
                />
              )
            })}
          </div>
        ))}
      </div>
    </div>
  )
})

/** Marked while a cell of its column is measured. */
function ColumnHead({ column, index }: { column: GridColumn; index: number }) {
  const isLive = useSweep((state) => state.live !== undefined && state.live.concurrency === column)
  const isPrefill = column === 'prefill'
  return (
    <div
      role="columnheader"
      aria-colindex={index + 2}
      aria-label={isPrefill ? 'Prefill' : `${countText(column)} at once`}
      className={classes.column}
      data-kind={isPrefill ? 'prefill' : undefined}
      data-live={isLive || undefined}
    >
      {isPrefill ? 'Prefill' : countText(column)}
    </div>
  )
}

function RowHead({ contextTokens }: { contextTokens: number }) {
  const isLive = useSweep((state) => state.live?.contextTokens === contextTokens)
  return (
    <div
      role="rowheader"
      aria-colindex={1}
      className={classes.context}
      data-live={isLive || undefined}
      title={`${countText(contextTokens)} tokens`}
    >
      {contextLabel(contextTokens)}
    </div>
  )
}
