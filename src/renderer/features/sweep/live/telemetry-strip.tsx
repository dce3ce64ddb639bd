import { Tooltip } from '@mantine/core'
import { useMemo } from 'react'
import { latest, type TelemetryPanel, telemetryPanels } from '../../../charts/telemetry-series.ts'
import { sparkPath } from '../grid/sparkline.tsx'
import { useSweep } from '../state/sweep-feed.ts'
import classes from './telemetry-strip.module.css'

/** Seconds that the small charts show. */
const SHOWN_MS = 180_000
const [WIDTH, HEIGHT] = [132, 26]

/** Machine and server in the last minutes: how hot, how fast, how full. */
export function TelemetryStrip() {
  const points = useSweep((state) => state.telemetry)
  const panels = useMemo(() => {
    const from = (points.at(-1)?.t ?? 0) - SHOWN_MS
    return telemetryPanels(points.filter((point) => point.t >= from))
  }, [points])
  if (panels.length === 0) return null
  return (
    <div className={classes.strip} role="group" aria-label="Telemetry">
      {panels.map((panel) => (
        <SmallChart key={panel.id} panel={panel} />
      ))}
    </div>
  )
}

function SmallChart({ panel }: { panel: TelemetryPanel }) {
  const values = latest(panel)
  const all = panel.lines.flatMap((line) => line.points.map(([, value]) => value))
  const high = panel.max ?? Math.max(...all)
  const low = panel.id === 'clock' || panel.id === 'temperature' || panel.id === 'power' ? Math.min(...all) : 0
  const from = panel.max === undefined ? low - (high - low) * 0.1 : 0
  return (
    <Tooltip label={<Figures panel={panel} />}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- its tooltip is for the keyboard too */}
      <div
        className={classes.chart}
        tabIndex={0}
        role="img"
        aria-label={`${panel.title}: ${values.map(({ name, text }) => `${name} ${text} ${panel.unit}`).join(', ')}`}
      >
        <span className={classes.title}>
          {panel.title} {panel.unit !== '' && <span className={classes.unit}>{panel.unit}</span>}
        </span>
        <span className={classes.value}>{summary(panel)}</span>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" className={classes.lines} aria-hidden>
          {panel.lines.map((line, index) => (
            <path
              key={line.name}
              d={sparkPath({
                values: line.points.map(([, value]) => value),
                width: WIDTH,
                height: HEIGHT,
                max: high,
                from: Math.max(0, from),
              })}
              className={classes.line}
              data-line={index % 4}
            />
          ))}
        </svg>
      </div>
    </Tooltip>
  )
}

/** One line its value; running and waiting both; many GPUs from – to. */
function summary(panel: TelemetryPanel): string {
  const last = panel.lines.map((line) => line.points.at(-1)?.[1] ?? 0)
  if (panel.id === 'requests') {
    const [running, waiting] = ['Running', 'Waiting'].map(
      (name) => panel.lines.find((line) => line.name === name)?.points.at(-1)?.[1],
    )
    return [running, waiting].map((value) => (value === undefined ? '—' : panel.text(value))).join(' + ')
  }
  const [low, high] = [panel.text(Math.min(...last)), panel.text(Math.max(...last))]
  return low === high ? low : `${low} – ${high}`
}

function Figures({ panel }: { panel: TelemetryPanel }) {
  return (
    <span>
      <strong>{panel.title}</strong>. {panel.definition}
      {latest(panel).map(({ name, text }) => (
        <span key={name}>
          <br />
          {name}: {text} {panel.unit}
        </span>
      ))}
    </span>
  )
}
