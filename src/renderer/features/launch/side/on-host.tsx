import { ActionIcon, Button, Loader, Tooltip } from '@mantine/core'
import { Plus, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import type { HostView } from '../../../../shared/contract/hosts.ts'
import type { LaunchView, ServerView } from '../../../../shared/contract/servers.ts'
import { clockText } from '../../../../shared/format/index.ts'
import { hrefOf } from '../../../app/routes.ts'
import { useClient } from '../../../state/context.ts'
import { useCommandTo } from '../../../state/use-query.ts'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { AdoptDialog } from './adopt-dialog.tsx'
import { LAUNCH_SIGNS, SERVER_SIGNS, StateSign } from './state-sign.tsx'
import classes from './side.module.css'
import { useLaunches, useServers } from './use-servers.ts'

/** What runs on the host, and what was tried there lately. */
export function OnHost({ view }: { view: HostView }) {
  const { host, connection } = view
  const client = useClient()
  const connect = useCommandTo(() => client.hosts.connect.mutate({ name: host.name }))
  if (connection !== 'connected' && connection !== 'reconnecting') {
    const isBusy = connect.busy || connection === 'connecting'
    return (
      <Panel title={`On ${host.name}`}>
        <div className={classes.connect}>
          <p>Servers are listed once the host is connected. Launching connects by itself.</p>
          {connect.error !== undefined && <ErrorNotice error={connect.error} />}
          <Button size="compact-sm" variant="default" loading={isBusy} onClick={() => void connect.run(undefined)}>
            Connect
          </Button>
        </div>
      </Panel>
    )
  }
  return <Servers key={host.name} host={host.name} />
}

function Servers({ host }: { host: string }) {
  const servers = useServers(host)
  const launches = useLaunches()
  const [isAdopting, setAdopting] = useState(false)
  const known = new Set(servers.value?.map((view) => view.server.id))
  const tried = (launches.value ?? [])
    .filter((launch) => launch.host === host && (launch.state !== 'ready' || !known.has(launch.server?.id ?? '')))
    .filter((launch) => launch.state !== 'ready')
    .slice(0, 5)
  const shown = servers.value?.filter(
    (view) => !tried.some((launch) => launch.server?.id === view.server.id && launch.state === 'starting'),
  )
  return (
    <Panel
      title={`On ${host}`}
      padding="none"
      actions={
        <>
          <Tooltip label="Look again">
            <ActionIcon variant="subtle" color="gray" size={26} aria-label="Look again" onClick={servers.reload}>
              {servers.status === 'loading' ? <Loader size={12} aria-hidden /> : <RefreshCw size={14} aria-hidden />}
            </ActionIcon>
          </Tooltip>
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<Plus size={14} aria-hidden />}
            onClick={() => {
              setAdopting(true)
            }}
          >
            Adopt
          </Button>
        </>
      }
    >
      {servers.error !== undefined && (
        <div className={classes.pad}>
          <ErrorNotice error={servers.error} onRetry={servers.reload} />
        </div>
      )}
      {shown?.length === 0 && tried.length === 0 && (
        <p className={classes.none}>No server of ours runs here. One that somebody else started can be adopted by its port.</p>
      )}
      <ul className={classes.list}>
        {tried.map((launch) => (
          <LaunchLine key={launch.launchId} launch={launch} />
        ))}
        {shown?.map((view) => (
          <ServerLine key={view.server.id} view={view} />
        ))}
      </ul>
      {isAdopting && (
        <AdoptDialog
          host={host}
          onClose={() => {
            setAdopting(false)
          }}
        />
      )}
    </Panel>
  )
}

function LaunchLine({ launch }: { launch: LaunchView }) {
  return (
    <li className={classes.item}>
      <a className={classes.open} href={hrefOf({ screen: 'launch', launchId: launch.launchId })}>
        <span className={classes.name}>
          <StateSign {...LAUNCH_SIGNS[launch.state]} /> {modelOf(launch.command)}
        </span>
        <span className={classes.second}>
          {launch.state === 'starting' ? (
            `starting for ${clockText(launch.seconds)}`
          ) : (
            <>
              {launch.state} <TimeText at={launch.startedAt} />
            </>
          )}
        </span>
      </a>
    </li>
  )
}

function ServerLine({ view }: { view: ServerView }) {
  const { server, state } = view
  return (
    <li className={classes.item}>
      <a className={classes.open} href={hrefOf({ screen: 'launch', host: server.host, server: server.id })}>
        <span className={classes.name} title={server.name ?? server.id}>
          <StateSign {...SERVER_SIGNS[state]} /> {server.name ?? server.id}
        </span>
        <span className={classes.second}>
          {server.adopted ? 'adopted · ' : ''}port {server.port} · since <TimeText at={server.startedAt} />
        </span>
      </a>
    </li>
  )
}

function modelOf(command: string): string {
  const words = command.replaceAll('\\\n', ' ').split(/\s+/)
  return words[words.indexOf('serve') + 1]?.split('/').at(-1) ?? 'a launch'
}
