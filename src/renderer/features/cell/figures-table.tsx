import { Tooltip } from '@mantine/core'
import type { CellFigures, Flag } from '../../../shared/model/cell.ts'
import { doubtText, flagLabel } from '../../../shared/report/flags.ts'
import { FigureTooltip } from '../../ui/figure-tooltip.tsx'
import classes from './cell.module.css'
import { type FigureRow, figureGroups, percentileRows } from './figure-rows.ts'

/** All figures of an attempt, each with its definition and the doubts about it. */
export function FiguresTable({ figures, flags }: { figures: CellFigures; flags: readonly Flag[] }) {
  const groups = figureGroups(figures, flags)
  if (groups.length === 0) return <p className={classes.quiet}>Nothing was measured.</p>
  return (
    <div className={classes.groups}>
      {groups.map((group) => (
        <div key={group.title} role="group" aria-label={group.title} className={classes.group}>
          <h3 className={classes.groupTitle}>{group.title}</h3>
          <dl className={classes.figures}>
            {group.rows.map((row) => (
              <div key={row.label} className={classes.figureRow}>
                <dt>
                  <Label row={row} />
                </dt>
                <dd className="figure">
                  {row.text}
                  {row.doubts.map((flag) => (
                    <FlagMark key={flag.flag} flag={flag} />
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </div>
      ))}
      <Percentiles figures={figures} />
    </div>
  )
}

function Label({ row }: { row: FigureRow }) {
  if (row.figure) return <FigureTooltip figure={row.figure}>{row.label}</FigureTooltip>
  if (row.hint === undefined) return <>{row.label}</>
  return (
    <Tooltip label={row.hint}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the hint is there for the keyboard too */}
      <span className={classes.hint} tabIndex={0}>
        {row.label}
      </span>
    </Tooltip>
  )
}

function FlagMark({ flag }: { flag: Flag }) {
  return (
    <Tooltip label={doubtText(flag)}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the doubt is there for the keyboard too */}
      <span className={classes.flagMark} tabIndex={0} aria-label={`${flagLabel(flag.flag)}: ${doubtText(flag)}`} role="note">
        ≈
      </span>
    </Tooltip>
  )
}

function Percentiles({ figures }: { figures: CellFigures }) {
  const rows = percentileRows(figures)
  if (rows.length === 0) return null
  return (
    <div role="group" aria-label="Percentiles" className={classes.group}>
      <h3 className={classes.groupTitle}>
        <FigureTooltip figure="percentiles">Percentiles</FigureTooltip>
      </h3>
      <table className={classes.small}>
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">Figure</span>
            </th>
            <th scope="col">p50</th>
            <th scope="col">p90</th>
            <th scope="col">p99</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.label}>
              <th scope="row">
                <FigureTooltip figure={row.figure}>{row.label}</FigureTooltip>
              </th>
              <td>{row.p50}</td>
              <td>{row.p90}</td>
              <td>{row.p99}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
