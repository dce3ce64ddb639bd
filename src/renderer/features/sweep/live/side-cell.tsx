import { Anchor } from '@mantine/core'
import { contextLabel, countText, msText, rateText } from '../../../../shared/format/index.ts'
import type { PrefillRow } from '../../../../shared/model/run.ts'
import { hrefOf } from '../../../app/routes.ts'
import { StatusGlyph } from '../../../ui/status-glyph.tsx'
import { CellDetail } from '../../cell/index.tsx'
import { FlagsList } from '../../cell/flags-list.tsx'
import { baselineNote } from '../grid/baseline.ts'
import { METRIC_IDS, METRICS } from '../grid/metrics.ts'
import { useSweep } from '../state/sweep-feed.ts'
import { cellKey } from '../state/sweep-state.ts'
import classes from './side-cell.module.css'
import type { OpenCell } from './side-panel.tsx'
import type { Baseline } from './use-baseline.ts'
import { useRunControl } from './use-run-control.ts'

/** The cell somebody asked for, or the prefill of its context. */
export function SideCell({ open, baseline }: { open: OpenCell | undefined; baseline: Baseline | undefined }) {
  const head = useSweep((state) => state.head)
  const row = useSweep(({ cells }) =>
    open?.concurrency === undefined ? undefined : cells.get(cellKey(open.contextTokens, open.concurrency)),
  )
  const prefill = useSweep((state) =>
    open === undefined || open.concurrency !== undefined ? undefined : state.prefill.get(open.contextTokens),
  )
  const control = useRunControl()
  if (open === undefined) return <p className={classes.quiet}>Choose a cell of the grid: a click, or the arrow keys and Enter.</p>
  if (prefill) return <PrefillDetail row={prefill} />
  if (!row || open.concurrency === undefined) return <p className={classes.quiet}>This cell is not part of the plan.</p>
  const { contextTokens, concurrency } = row
  return (
    <CellDetail
      key={cellKey(contextTokens, concurrency)}
      runId={head.runId}
      runName={head.name}
      row={row}
      onRemeasure={control.can.remeasure ? () => void control.remeasure(contextTokens, concurrency) : undefined}
      actions={
        <Anchor size="sm" href={hrefOf({ screen: 'cell', runId: head.runId, contextTokens, concurrency })}>
          Full page
        </Anchor>
      }
      aside={baseline && <AgainstBaseline row={row} baseline={baseline} />}
    />
  )
}

function AgainstBaseline({ row, baseline }: { row: Parameters<typeof baselineNote>[0]; baseline: Baseline }) {
  const base = baseline.cells.get(cellKey(row.contextTokens, row.concurrency))
  const notes = METRIC_IDS.flatMap((id) => {
    const note = baselineNote(row, base, METRICS[id])
    return note ? [{ metric: METRICS[id], note }] : []
  })
  return (
    <section className={classes.baseline} aria-label="Against the baseline">
      <h3>Against {baseline.name}</h3>
      {notes.length === 0 ? (
        <p className={classes.quiet}>Nothing to compare: the cell is not valid in both runs.</p>
      ) : (
        <table>
          <tbody>
            {notes.map(({ metric, note }) => (
              <tr key={metric.id}>
                <th scope="row">{metric.label}</th>
                <td>{note.figure}</td>
                <td data-tone={note.tone}>
                  {note.difference}
                  {note.tone === 'noise' ? ' (noise)' : note.tone === 'better' ? ' better' : ' worse'}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

function PrefillDetail({ row }: { row: PrefillRow }) {
  return (
    <article className={classes.prefill}>
      <header>
        <h2>Prefill of {contextLabel(row.contextTokens)}</h2>
        <StatusGlyph status={row.status} label />
      </header>
      {row.reason !== undefined && <p>{row.reason}</p>}
      <FlagsList flags={row.flags} />
      {row.status === 'valid' && (
        <p>
          <strong className="figure">{rateText(row.tokensPerSecond)}</strong> prompt tokens per second,{' '}
          <strong className="figure">{msText(row.ttftMs)}</strong> to the first token, median of {countText(row.samples.length)}{' '}
          cold {row.samples.length === 1 ? 'sample' : 'samples'}
          {row.source === 'scout' ? ', taken as the cells of this context warmed up' : ''}.
        </p>
      )}
      {row.samples.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">TTFT</th>
              <th scope="col">tok/s</th>
              <th scope="col">Prompt</th>
              <th scope="col">Cached</th>
            </tr>
          </thead>
          <tbody>
            {row.samples.map((sample, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- samples have no other name
              <tr key={index}>
                <td>{msText(sample.ttftMs)}</td>
                <td>{rateText(sample.tokensPerSecond)}</td>
                <td>{countText(sample.promptTokens)}</td>
                <td>{sample.cachedTokens === undefined ? 'not seen' : countText(sample.cachedTokens)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </article>
  )
}
