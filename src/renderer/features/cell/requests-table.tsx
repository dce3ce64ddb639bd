import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef } from 'react'
import { countText, fineMsText, msText, secondsText } from '../../../shared/format/index.ts'
import type { RequestRecord } from '../../../shared/model/cell.ts'
import { tableAsMarkdown, tableAsTsv } from '../../charts/chart-table.tsx'
import { CopyMenu } from '../../ui/copy-menu.tsx'
import classes from './cell.module.css'
import { timeBetweenTokensOf, ttftOf } from './request-bars.ts'

const COLUMNS = ['Stream', 'No.', 'Start', 'TTFT', 'Between', 'Tokens', 'Cached', 'End'] as const
const ROW_PX = 24

const textsOf = (request: RequestRecord): string[] => [
  String(request.stream),
  String(request.ordinal),
  secondsText(request.startMs / 1000),
  msText(ttftOf(request)),
  fineMsText(timeBetweenTokensOf(request), 2),
  countText(request.outputTokens),
  countText(request.cachedTokens),
  request.error ?? (request.completed ? (request.finishReason ?? 'completed') : 'cut at the end'),
]

/** Every request of an attempt; thousands of them scroll. */
export function RequestsTable({ requests }: { requests: readonly RequestRecord[] }) {
  const frame = useRef<HTMLDivElement>(null)
  const sorted = useMemo(() => [...requests].sort((a, b) => a.startMs - b.startMs || a.stream - b.stream), [requests])
  const rows = useVirtualizer({
    count: sorted.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
  })
  const table = () => ({ columns: COLUMNS, rows: sorted.map(textsOf) })
  if (sorted.length === 0) return <p className={classes.quiet}>No requests were recorded.</p>
  return (
    <>
      <div className={classes.tableHead}>
        <span className={classes.quiet}>{countText(sorted.length)} requests</span>
        <CopyMenu what="the requests" markdown={() => tableAsMarkdown(table())} tsv={() => tableAsTsv(table())} />
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scroll area must be reachable by keyboard */}
      <div
        ref={frame}
        className={classes.requests}
        tabIndex={0}
        role="region"
        aria-label="Requests, one by one"
        style={{ maxHeight: Math.min(320, (sorted.length + 1) * ROW_PX + 4) }}
      >
        <div role="table" aria-rowcount={sorted.length + 1} aria-label="Requests">
          <div role="row" aria-rowindex={1} className={classes.requestHead}>
            {COLUMNS.map((column) => (
              <span key={column} role="columnheader">
                {column}
              </span>
            ))}
          </div>
          <div role="rowgroup" className={classes.requestRoom} style={{ height: rows.getTotalSize() }}>
            {rows.getVirtualItems().map((item) => {
              const request = sorted[item.index]
              if (!request) return null
              return (
                <div
                  key={item.key}
                  role="row"
                  aria-rowindex={item.index + 2}
                  className={classes.request}
                  data-failed={request.error !== undefined || undefined}
                  style={{ transform: `translateY(${item.start}px)` }}
                >
                  {textsOf(request).map((text, index) => (
                    <span key={COLUMNS[index]} role="cell" title={index === COLUMNS.length - 1 ? text : undefined}>
                      {text}
                    </span>
                  ))}
                </div>
              )
            })}
          </div>
        </div>
      </div>
    </>
  )
}
