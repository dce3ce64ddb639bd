import { useMemo } from 'react'
import type { RunDocument } from '../../../../shared/model/run.ts'
import { buildReport, type Pair } from '../../../../shared/report/index.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import classes from './run.module.css'

/** The same facts, in the same words, as in the report. */
export function RunFacts({ run }: { run: RunDocument }) {
  const report = useMemo(() => buildReport(run), [run])
  const code = (title: string, text: string | undefined) =>
    text === undefined ? null : (
      <Panel title={title} actions={<CopyButton value={text} label={`Copy: ${title}`} />}>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
        <pre className={classes.code} tabIndex={0}>
          {text}
        </pre>
      </Panel>
    )
  return (
    <div className={classes.facts}>
      <div className={classes.column}>
        <Pairs title="Hardware" pairs={report.hardware} />
        <Pairs title="Engine" pairs={report.engine} />
        <Pairs title="The host" pairs={report.moreHardware} />
      </div>
      <div className={classes.column}>
        <Pairs title="Run" pairs={report.run} />
        <Pairs title="How it was measured" pairs={report.conduct} />
        {code('Launch command', report.launchCommand)}
        {code('What was really started', report.startedCommand)}
        {code('Body of a measured request', report.requestTemplate)}
        {run.events.length > 0 && (
          <Panel title="Events">
            <ul className={classes.events}>
              {run.events.map((event, index) => (
                // oxlint-disable-next-line react/no-array-index-key -- the list of a run that is over never changes
                <li key={index} data-level={event.level}>
                  <TimeText at={event.at} />{' '}
                  <span>
                    {event.level === 'info' ? '' : `${event.level}: `}
                    {event.text}
                  </span>
                </li>
              ))}
            </ul>
          </Panel>
        )}
      </div>
    </div>
  )
}

function Pairs({ title, pairs }: { title: string; pairs: readonly Pair[] }) {
  if (pairs.length === 0) return null
  return (
    <Panel title={title}>
      <dl className={classes.pairs}>
        {pairs.map(({ label, text }) => (
          <div key={`${label} ${text}`}>
            <dt>{label}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  )
}
