import { useMemo } from 'react'
import { secondsText } from '../../../shared/format/index.ts'
import type { RequestRecord } from '../../../shared/model/cell.ts'
import classes from './cell.module.css'
import { timelineOf } from './request-bars.ts'

const WIDTH = 1000
const LABEL_PX = 12

interface TimelineProps {
  requests: readonly RequestRecord[]
  windowOpenMs?: number | undefined
  windowCloseMs?: number | undefined
}

/** Lanes of streams: hatched until the first token, filled while output comes. The window lies behind them. */
export function Timeline({ requests, windowOpenMs, windowCloseMs }: TimelineProps) {
  const model = useMemo(() => timelineOf(requests), [requests])
  if (model.bars.length === 0) return null
  const lane = Math.max(3, Math.min(12, Math.floor(220 / model.streams.length)))
  const height = model.streams.length * lane
  const to = Math.max(model.toMs, windowCloseMs ?? 0)
  const x = (ms: number) => ((ms - model.fromMs) / Math.max(1, to - model.fromMs)) * WIDTH
  const y = new Map(model.streams.map((stream, index) => [stream, index * lane]))
  return (
    <figure className={classes.timeline}>
      <svg
        viewBox={`0 0 ${WIDTH} ${height}`}
        preserveAspectRatio="none"
        style={{ height }}
        role="img"
        aria-label={`${model.bars.length} requests on ${model.streams.length} streams over ${secondsText((to - model.fromMs) / 1000)}; the same numbers are in the table below.`}
      >
        {windowOpenMs !== undefined && windowCloseMs !== undefined && (
          <rect
            x={x(windowOpenMs)}
            y={0}
            width={x(windowCloseMs) - x(windowOpenMs)}
            height={height}
            className={classes.windowBand}
          />
        )}
        {model.bars.map((bar) => (
          <g key={`${bar.stream}/${bar.ordinal}`}>
            <rect
              x={x(bar.startMs)}
              y={y.get(bar.stream)}
              width={Math.max(1, x(bar.firstMs ?? bar.endMs) - x(bar.startMs))}
              height={lane - 1}
              className={bar.failed ? classes.barFailed : classes.barWait}
            />
            {bar.firstMs !== undefined && (
              <rect
                x={x(bar.firstMs)}
                y={y.get(bar.stream)}
                width={Math.max(1, x(bar.endMs) - x(bar.firstMs))}
                height={lane - 1}
                className={bar.failed ? classes.barFailed : classes.barOutput}
                data-cut={!bar.completed || undefined}
              />
            )}
          </g>
        ))}
      </svg>
      <figcaption className={classes.axis} style={{ height: LABEL_PX + 6 }}>
        <span>0 s</span>
        <span className={classes.key}>
          <i className={classes.keyWait} /> until the first token <i className={classes.keyOutput} /> output{' '}
          <i className={classes.keyWindow} /> window
        </span>
        <span>{secondsText((to - model.fromMs) / 1000)}</span>
      </figcaption>
    </figure>
  )
}
