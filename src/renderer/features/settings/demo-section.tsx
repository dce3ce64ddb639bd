import { Button, Select } from '@mantine/core'
import { useState } from 'react'
import type { DemoView } from '../../../shared/contract/app.ts'
import { hrefOf } from '../../app/routes.ts'
import { useApp, useDemo } from '../../state/context.ts'
import { useCommandTo } from '../../state/use-query.ts'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { Section } from './section.tsx'
import classes from './settings.module.css'

const MACHINES = [
  { value: 'h200', label: 'H200, 141 GB' },
  { value: 'rtx-pro-6000', label: 'RTX PRO 6000, 96 GB' },
  { value: '4x-rtx-pro-6000', label: '4 × RTX PRO 6000' },
] as const
type Machine = (typeof MACHINES)[number]['value']

export function DemoSection() {
  const { client } = useApp()
  const view = useDemo().value
  const [machine, setMachine] = useState<Machine>('h200')
  const start = useCommandTo(() => client.app.startDemo.mutate({ machine }))
  const stop = useCommandTo(() => client.app.stopDemo.mutate())
  const error = start.error ?? stop.error
  const isOn = view?.state === 'ready'
  return (
    <Section id="demo">
      <div className={classes.line}>
        <div className={classes.lineText}>
          <div role="status">{demoText(view)}</div>
          <div className={classes.dim}>
            An SSH server on this computer that behaves like one of the published machines. Its figures are labelled as a demo
            wherever they show.
          </div>
        </div>
        <div className={classes.buttons}>
          {isOn ? (
            <>
              {view.host !== undefined && (
                <Button component="a" variant="default" href={hrefOf({ screen: 'hosts', host: view.host })}>
                  Show
                </Button>
              )}
              <Button variant="default" loading={stop.busy} onClick={() => void stop.run(undefined)}>
                Stop
              </Button>
            </>
          ) : (
            <>
              <Select
                aria-label="Machine"
                w={190}
                data={[...MACHINES]}
                value={machine}
                allowDeselect={false}
                onChange={(value) => {
                  if (value !== null) setMachine(value)
                }}
              />
              <Button
                variant="default"
                loading={start.busy || view?.state === 'starting'}
                disabled={view?.state === 'unsupported'}
                onClick={() => void start.run(undefined)}
              >
                Start
              </Button>
            </>
          )}
        </div>
      </div>
      {error !== undefined && <ErrorNotice error={error} />}
    </Section>
  )
}

function demoText(view: DemoView | undefined): string {
  switch (view?.state) {
    case 'ready':
      return `Running${view.machine === undefined ? '' : ` as ${view.machine}`}${view.host === undefined ? '' : `, host ${view.host}`}`
    case 'starting':
      return 'Starting…'
    case 'failed':
      return `It did not start${view.reason === undefined ? '.' : `: ${view.reason}`}`
    case 'unsupported':
      return view.reason ?? 'Not available on this system.'
    default:
      return 'Not running'
  }
}
