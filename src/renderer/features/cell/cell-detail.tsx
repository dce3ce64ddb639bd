import { Button } from '@mantine/core'
import { RotateCw } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react'
import type { CellDetail as CellDetailData } from '../../../shared/contract/runs.ts'
import { contextLabel, countText } from '../../../shared/format/index.ts'
import type { CellRow } from '../../../shared/model/run.ts'
import { useClient } from '../../state/context.ts'
import { useQuery } from '../../state/use-query.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { FigureTooltip } from '../../ui/figure-tooltip.tsx'
import { StatusGlyph } from '../../ui/status-glyph.tsx'
import { STATUS_MEANINGS } from '../../ui/statuses.ts'
import { Attempts, PhaseTimes } from './attempts.tsx'
import classes from './cell.module.css'
import { cellAsMarkdown } from './cell-text.ts'
import { FiguresTable } from './figures-table.tsx'
import { FlagsList } from './flags-list.tsx'
import { RequestsTable } from './requests-table.tsx'
import { Timeline } from './timeline.tsx'

const CellCharts = lazy(async () => ({ default: (await import('./cell-charts.tsx')).CellCharts }))

interface CellDetailProps {
  runId: string
  row: CellRow
  runName: string
  /** What stands between title and figures: a comparison with the baseline. */
  aside?: ReactNode
  /** Absent where the run can't be measured further. */
  onRemeasure?: (() => void) | undefined
  /** Further buttons. */
  actions?: ReactNode
}

/** Everything there is about a cell. Its row is there at once; attempts, requests and series come from the engine. */
export function CellDetail({ runId, row, runName, aside, onRemeasure, actions }: CellDetailProps) {
  const client = useClient()
  const { contextTokens, concurrency } = row
  const wants = row.attempts > 0
  const detail = useQuery(`cell ${runId} ${contextTokens} ${concurrency} ${row.attempts} ${row.status}`, () =>
    wants
      ? client.runs.cell.query({ runId, contextTokens, concurrency })
      : Promise.resolve<CellDetailData>({ attempts: [], telemetry: [] }),
  )
  const attempts = detail.value?.attempts ?? []
  const [chosen, setChosen] = useState<string>()
  const shown = attempts.find((attempt) => `${attempt.repeat}/${attempt.attempt}` === chosen) ?? attempts.at(-1)
  const isOlder = shown !== undefined && shown !== attempts.at(-1)
  const figures = isOlder ? shown.figures : row
  const flags = isOlder ? shown.flags : row.flags
  const status = isOlder ? shown.status : row.status
  return (
    <article className={classes.detail}>
      <header className={classes.head}>
        <h2 className={classes.name}>
          {contextLabel(contextTokens)} × {countText(concurrency)}
        </h2>
        <StatusGlyph status={status} label />
        <span className={classes.grow} />
        <CopyButton value={() => cellAsMarkdown(row)} label="Copy as Markdown" />
        {actions}
        {onRemeasure && (
          <Button size="compact-sm" variant="default" leftSection={<RotateCw size={13} aria-hidden />} onClick={onRemeasure}>
            Measure again
          </Button>
        )}
      </header>
      {isOlder && <p className={classes.older}>This is an earlier try; the cell’s figures are those of the latest.</p>}
      {aside}
      <Why
        row={row}
        status={status}
        reason={isOlder ? shown.reason : row.reason}
        logLines={isOlder ? shown.logLines : row.logLines}
      />
      <FlagsList flags={flags} />
      {status === 'valid' && <FiguresTable figures={figures} flags={flags} />}
      <Discarded figures={isOlder ? shown.discarded : row.discarded} loop={shown?.loop} />
      {detail.error !== undefined && <ErrorNotice error={detail.error} onRetry={detail.reload} />}
      {shown && (
        <>
          <Suspense>
            <CellCharts
              attempt={shown}
              telemetry={isOlder ? [] : (detail.value?.telemetry ?? [])}
              fileName={`${runName} ${contextLabel(contextTokens)} x ${concurrency}`}
            />
          </Suspense>
          <Section title="Requests">
            <Timeline requests={shown.requests} windowOpenMs={shown.windowOpenMs} windowCloseMs={shown.windowCloseMs} />
            <RequestsTable requests={shown.requests} />
          </Section>
          <Section title="Tries">
            <Attempts attempts={attempts} shown={shown} onShow={(attempt) => setChosen(`${attempt.repeat}/${attempt.attempt}`)} />
            <PhaseTimes phaseSeconds={shown.phaseSeconds} />
          </Section>
        </>
      )}
    </article>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={classes.section} aria-label={title}>
      <h3 className={classes.groupTitle}>{title}</h3>
      {children}
    </section>
  )
}

function Why({
  row,
  status,
  reason,
  logLines,
}: {
  row: CellRow
  status: CellRow['status']
  reason: string | undefined
  logLines: string[] | undefined
}) {
  const isOver = status === 'over_capacity' && row.neededTokens !== undefined && row.kvTokens !== undefined
  if (status === 'valid') return null
  return (
    <section className={classes.why} data-status={status} aria-label="Why there are no figures">
      <p>
        {reason === undefined
          ? `It was ${STATUS_MEANINGS[status].replace(/\.$/, '')}.`
              .replace('It was an answer', 'An answer')
              .replace('It was the ', 'The ')
          : sentence(reason)}
      </p>
      {isOver && (
        <p className={classes.quiet}>
          Needs {countText(row.neededTokens)} tokens of <FigureTooltip figure="kvUsage">KV cache</FigureTooltip>, the server has{' '}
          {countText(row.kvTokens)}.
        </p>
      )}
      {logLines !== undefined && logLines.length > 0 && (
        <>
          <h3 className={classes.groupTitle}>Last lines of the server’s log</h3>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scroll area must be reachable by keyboard */}
          <pre className={classes.log} tabIndex={0} role="region" aria-label="Server log">
            {logLines.join('\n')}
          </pre>
        </>
      )}
    </section>
  )
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`

function Discarded({ figures, loop }: { figures: CellRow['discarded']; loop: CellDetailData['attempts'][number]['loop'] }) {
  const rows = useMemo(() => figures, [figures])
  if (!rows && !loop) return null
  return (
    <section className={classes.discarded} aria-label="Thrown away">
      <h3 className={classes.groupTitle}>Thrown away</h3>
      {loop && (
        <>
          <p>
            Stream {loop.stream} repeated {countText(loop.periodChars)} characters {countText(loop.cycles)} times in its{' '}
            {loop.channel}:
          </p>
          <pre className={classes.log}>{loop.excerpt}</pre>
        </>
      )}
      {rows && (
        <>
          <p className={classes.quiet}>Measured until then, kept for the record and never counted:</p>
          <FiguresTable figures={rows} flags={[]} />
        </>
      )}
    </section>
  )
}
