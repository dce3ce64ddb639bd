import { Tooltip } from '@mantine/core'
import { rampCss, type Theme } from './color-scale.ts'
import classes from './legend.module.css'
import type { Metric } from './metrics.ts'
import type { Scale } from './scale.ts'

/** What the colours mean: both ends, the middle, and which kind of scale lies between. */
export function Legend({ metric, scale, theme }: { metric: Metric; scale: Scale | undefined; theme: Theme }) {
  if (!scale) return <span className={classes.legend}>No figures yet</span>
  const single = scale.low === scale.high
  return (
    <Tooltip
      label={`${metric.label}: ${scale.kind === 'log' ? 'logarithmic, equal steps of colour are equal ratios' : 'linear'}. ${metric.better === 'higher' ? 'Higher is better.' : 'Lower is better.'}`}
    >
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- its tooltip is for the keyboard too */}
      <span
        className={classes.legend}
        tabIndex={0}
        role="note"
        aria-label={`Colours: ${metric.text(scale.low)} to ${metric.text(scale.high)}, ${scale.kind} scale`}
      >
        <span>{metric.text(scale.low)}</span>
        {!single && (
          <span className={classes.bar} style={{ backgroundImage: rampCss(theme) }}>
            <span className={classes.middle} />
          </span>
        )}
        {!single && <span>{metric.text(scale.high)}</span>}
        <span className={classes.kind}>
          {metric.unit} · {scale.kind}
          <span className={classes.better}> · {metric.better} is better</span>
        </span>
      </span>
    </Tooltip>
  )
}
