import { Button } from '@mantine/core'
import type { HostView } from '../../../../shared/contract/hosts.ts'
import type { ServerView } from '../../../../shared/contract/servers.ts'
import { hrefOf } from '../../../app/routes.ts'
import { useClient } from '../../../state/context.ts'
import { useQuery } from '../../../state/use-query.ts'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { Loading } from '../../../ui/loading.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import classes from './host-detail.module.css'

/** Servers of ours on this host, asked anew at every look. */
export function ServersPanel({ view }: { view: HostView }) {
  const client = useClient()
  const { name } = view.host
  const isUp = view.connection === 'connected'
  const servers = useQuery(
    `servers ${name} ${view.inventoryAt ?? ''} ${String(view.runningServers)} ${String(isUp)}`,
    (signal) => (isUp ? client.servers.list.query({ host: name }, { signal }) : Promise.resolve([])),
  )
  return (
    <Panel title="Servers" padding="none">
      {!isUp && <p className={classes.empty}>Connect to see what runs there.</p>}
      {isUp && servers.status === 'loading' && <Loading what="the servers" />}
      {servers.error !== undefined && <ErrorNotice error={servers.error} onRetry={servers.reload} />}
      {isUp && servers.value?.length === 0 && (
        <p className={classes.empty}>
          No server of ours runs there. Launch one, or adopt one that is running on the Launch screen.
        </p>
      )}
      {isUp && servers.value !== undefined && servers.value.length > 0 && (
        <ul className={classes.list}>
          {servers.value.map((it) => (
            <ServerLine key={it.server.id} host={name} view={it} />
          ))}
        </ul>
      )}
    </Panel>
  )
}

function ServerLine({ host, view: { server, state, evidence } }: { host: string; view: ServerView }) {
  return (
    <li className={classes.item}>
      <div className={classes.itemText}>
        <div className={classes.strong}>
          {server.name ?? server.id} <span className={classes.dim}>port {server.port}</span>
        </div>
        <div>
          {state}
          {evidence !== '' && `: ${evidence}`}
        </div>
        <div className={classes.dim}>
          {server.adopted ? 'adopted' : 'started'} <TimeText at={server.startedAt} />
        </div>
      </div>
      {state === 'ready' && (
        <Button
          component="a"
          size="compact-sm"
          variant="default"
          href={hrefOf({ screen: 'sweep', host, server: server.id })}
          aria-label={`Sweep ${server.name ?? server.id}`}
        >
          Sweep
        </Button>
      )}
    </li>
  )
}
