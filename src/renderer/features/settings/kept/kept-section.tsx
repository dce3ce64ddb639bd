import { Switch } from '@mantine/core'
import { useState } from 'react'
import { useApp, useHosts, useSettings } from '../../../state/context.ts'
import { showProblem } from '../../../ui/toasts.tsx'
import { Section } from '../section.tsx'
import classes from '../settings.module.css'
import { KeptOnHost } from './kept-on-host.tsx'
import keptClasses from './kept.module.css'

/** What of ours lies on the hosts. Looked up only when asked for: it needs a connection. */
export function KeptSection() {
  const { settings } = useApp()
  const hosts = useHosts().value ?? []
  const sendNode = useSettings()?.sendNode ?? false
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const toggle = (name: string) => {
    setOpen((before) => {
      const next = new Set(before)
      if (!next.delete(name)) next.add(name)
      return next
    })
  }
  return (
    <Section id="kept" padding="none" note="Run folders go by themselves once everything is stored.">
      <div className={classes.pad}>
        <div className={classes.line}>
          <div className={classes.lineText}>
            <div>Bring Node to hosts that have none</div>
            <div className={classes.dim}>
              Measuring on the host needs Node 20 or newer there. Ours is one file of 127 MB (45 MB on the way) under
              ~/.cache/speedgrid, listed and removable below. Without it, such hosts are measured through the tunnel.
            </div>
          </div>
          <Switch
            aria-label="Bring Node to hosts that have none"
            checked={sendNode}
            onChange={(event) => {
              settings.getState().change({ sendNode: event.currentTarget.checked }).catch(showProblem)
            }}
          />
        </div>
      </div>
      {hosts.length === 0 && <p className={classes.empty}>No hosts yet.</p>}
      <ul>
        {hosts.map(({ host: { name }, connection }) => (
          <li key={name} className={keptClasses.host}>
            <button
              type="button"
              className={keptClasses.toggle}
              aria-expanded={open.has(name)}
              onClick={() => {
                toggle(name)
              }}
            >
              <span className={keptClasses.arrow} aria-hidden>
                ▸
              </span>
              {name}
              {connection !== 'connected' && <span className={classes.dim}>not connected</span>}
            </button>
            {open.has(name) && <KeptOnHost name={name} />}
          </li>
        ))}
      </ul>
    </Section>
  )
}
