import { Button } from '@mantine/core'
import { FlaskConical } from 'lucide-react'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { Mark } from '../../ui/mark.tsx'
import { demoProblem } from './demo-notice.tsx'
import classes from './first-run.module.css'
import type { DemoStart } from './use-demo-start.ts'

/** The first start: one obvious thing to press, and what it leads to. */
export function FirstRun({ demo, onAdd }: { demo: DemoStart; onAdd: () => void }) {
  const problem = demoProblem(demo)
  return (
    <div className={classes.place}>
      <div className={classes.card}>
        <span className={classes.mark}>
          <Mark size={44} />
        </span>
        <h2 className={classes.title}>Measure how fast a machine serves a model</h2>
        <p className={classes.text}>
          Speedgrid reaches your GPU machines over SSH, starts vLLM there, and fills a grid of context length × requests at once.
          No machine at hand? The demo machine runs on this computer and needs no GPU.
        </p>
        <Button
          size="md"
          data-autofocus
          loading={demo.busy}
          leftSection={<FlaskConical size={17} aria-hidden />}
          onClick={() => void demo.start()}
          disabled={demo.view?.state === 'unsupported'}
        >
          Try the demo machine
        </Button>
        <div aria-live="polite" className={classes.wait}>
          {demo.busy && 'Starting an SSH server on this computer with a stand-in for vLLM behind it…'}
        </div>
        {problem !== undefined && (
          <div className={classes.problem}>
            <ErrorNotice error={problem} />
          </div>
        )}
        <p className={classes.other}>
          or{' '}
          <button type="button" className={classes.link} onClick={onAdd}>
            add a host of your own
          </button>{' '}
          from <code>~/.ssh/config</code> or by its address
        </p>
        <ol className={classes.steps}>
          {STEPS.map(({ title, text }) => (
            <li key={title}>
              <strong>{title}</strong>
              <span>{text}</span>
            </li>
          ))}
        </ol>
      </div>
    </div>
  )
}

const STEPS = [
  { title: 'Host', text: 'GPUs, vLLM environments and free disk are read. Nothing is installed.' },
  { title: 'Launch', text: 'Start-up in phases, with the log beside it; ready, or the reason why not.' },
  { title: 'Sweep', text: 'The grid fills in cell by cell. It goes on at the host when you close this.' },
  { title: 'Report', text: 'One file a colleague can open and trust.' },
]
