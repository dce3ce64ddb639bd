import { Button } from '@mantine/core'
import { MousePointerClick } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { HostView } from '../../../../shared/contract/hosts.ts'
import { useClient } from '../../../state/context.ts'
import { useCommandTo } from '../../../state/use-query.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { HostKeyDialog } from '../key/host-key-dialog.tsx'
import type { DemoStart } from '../use-demo-start.ts'
import { DetailHead } from './detail-head.tsx'
import { DoctorPanel } from './doctor-panel.tsx'
import { EnvironmentsPanel } from './environments-panel.tsx'
import { HardwarePanel } from './hardware-panel.tsx'
import classes from './host-detail.module.css'
import { ServersPanel } from './servers-panel.tsx'

const KEY_CODES = new Set(['host_key_unknown', 'host_key_changed'])

export function HostDetail({ view, demo }: { view: HostView | undefined; demo: DemoStart }) {
  if (view === undefined) {
    return (
      <aside className={classes.detail} aria-label="Host">
        <EmptyState icon={MousePointerClick} title="Choose a host" text="Its GPUs, vLLM environments and servers show here." />
      </aside>
    )
  }
  return <ChosenHost view={view} demo={demo} />
}

function ChosenHost({ view, demo }: { view: HostView; demo: DemoStart }) {
  const client = useClient()
  const { name, demo: isDemo } = view.host
  const [isKeyShown, setIsKeyShown] = useState(false)
  const [isDoctorShown, setIsDoctorShown] = useState(false)
  const connect = useCommandTo(async () => {
    await client.hosts.connect.mutate({ name })
  })
  useFirstConnect(view, connect.run)
  const error =
    connect.error ??
    (view.connection === 'failed' && view.reason !== undefined
      ? { code: 'unreachable' as const, cause: view.reason, evidence: [] }
      : undefined)
  const needsKey = connect.error !== undefined && KEY_CODES.has(connect.error.code)
  const isDemoOff = isDemo && demo.view?.state !== 'ready' && demo.view?.state !== 'starting'
  return (
    <aside className={classes.detail} aria-label={`Host ${name}`}>
      <DetailHead
        view={view}
        isConnecting={connect.busy}
        onConnect={() => void connect.run(undefined)}
        onKey={() => {
          setIsKeyShown(true)
        }}
        onDoctor={() => {
          setIsDoctorShown(true)
        }}
      />
      <div className={classes.body}>
        {isDemoOff && view.connection !== 'connected' && (
          <Button variant="light" loading={demo.busy} onClick={() => void demo.start()}>
            Start the demo machine
          </Button>
        )}
        {error !== undefined && !isDemoOff && !connect.busy && view.connection !== 'connecting' && (
          <div className={classes.problem}>
            <ErrorNotice error={error} onRetry={() => void connect.run(undefined)} retryLabel="Connect again" />
            <div className={classes.help}>
              {needsKey && (
                <Button
                  onClick={() => {
                    setIsKeyShown(true)
                  }}
                >
                  Look at the key…
                </Button>
              )}
              {!isDoctorShown && (
                <Button
                  variant="default"
                  onClick={() => {
                    setIsDoctorShown(true)
                  }}
                >
                  Find out why (doctor)
                </Button>
              )}
            </div>
          </div>
        )}
        {isDoctorShown && (
          <DoctorPanel
            name={name}
            onClose={() => {
              setIsDoctorShown(false)
            }}
          />
        )}
        {view.inventory !== undefined && (
          <>
            <HardwarePanel inventory={view.inventory} />
            <EnvironmentsPanel inventory={view.inventory} host={name} />
            <ServersPanel view={view} />
          </>
        )}
        {view.inventory === undefined && error === undefined && view.connection === 'never' && (
          <EmptyState
            title="Not looked at yet"
            text="Connect to see its GPUs, vLLM environments, running servers and free disk."
          />
        )}
      </div>
      {isKeyShown && (
        <HostKeyDialog
          name={name}
          onClose={() => {
            setIsKeyShown(false)
          }}
          onTrusted={() => {
            setIsKeyShown(false)
            void connect.run(undefined)
          }}
        />
      )}
    </aside>
  )
}

/** A host just added is connected to at once; one that failed or was closed waits for the person. */
function useFirstConnect({ host, connection }: HostView, run: (input: undefined) => Promise<boolean>) {
  const isNew = connection === 'never' && Date.now() - new Date(host.addedAt).getTime() < 60_000
  const connect = useRef(run)
  useEffect(() => {
    if (isNew) void connect.current(undefined)
  }, [isNew])
}
