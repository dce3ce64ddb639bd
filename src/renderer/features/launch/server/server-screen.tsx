import { Button } from '@mantine/core'
import { ArrowLeft, Gauge } from 'lucide-react'
import type { ServerView } from '../../../../shared/contract/servers.ts'
import { Screen } from '../../../app/screen.tsx'
import { navigate } from '../../../app/use-route.ts'
import { useClient } from '../../../state/context.ts'
import { useCommandTo } from '../../../state/use-query.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { Loading } from '../../../ui/loading.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { LogPanel } from '../log/log-panel.tsx'
import progressClasses from '../progress/progress.module.css'
import { SERVER_SIGNS, StateSign } from '../side/state-sign.tsx'
import { useServers } from '../side/use-servers.ts'
import { ServerFacts } from './server-facts.tsx'
import classes from './server.module.css'
import { StopButton } from './stop-button.tsx'
import { StopProof } from './stop-proof.tsx'
import { useStop } from './use-stop.ts'

/** One server: how it is, its log, and stopping it. */
export function ServerScreen({ host, id }: { host: string; id: string }) {
  const client = useClient()
  const servers = useServers(host)
  const stop = useStop({ host, id })
  const refresh = useCommandTo(() => Promise.resolve(servers.reload()))
  const view = servers.value?.find(({ server }) => server.id === id) ?? stop.lastView
  const back = (
    <Button
      variant="default"
      leftSection={<ArrowLeft size={14} aria-hidden />}
      onClick={() => {
        navigate({ screen: 'launch', host })
      }}
    >
      All launches
    </Button>
  )
  if (view === undefined) {
    return (
      <Screen title="Server" context={<strong>{host}</strong>} actions={back}>
        {servers.error !== undefined && <ErrorNotice error={servers.error} onRetry={servers.reload} />}
        {servers.error === undefined && servers.value === undefined && <Loading what="the servers of the host" />}
        {servers.error === undefined && servers.value !== undefined && (
          <EmptyState
            title="This server is not there any more"
            text="It was stopped, or its folder on the host was removed."
            actions={
              <Button variant="default" loading={refresh.busy} onClick={servers.reload}>
                Look again
              </Button>
            }
          />
        )}
      </Screen>
    )
  }
  const { server, state } = view
  const isUp = stop.report === undefined && (state === 'ready' || state === 'starting')
  return (
    <Screen
      title="Server"
      layout="fill"
      context={
        <>
          <strong>{host}</strong>
          <span className={progressClasses.contextName} title={server.name}>
            {server.name ?? server.id}
          </span>
        </>
      }
      actions={
        <>
          {back}
          {isUp && !server.adopted && (
            <StopButton
              server={server}
              busy={stop.busy}
              onStop={() => void stop.run(view, () => client.servers.stop.mutate({ host, server: id }), servers.reload)}
            />
          )}
          {isUp && (
            <Button
              leftSection={<Gauge size={14} aria-hidden />}
              disabled={stop.busy}
              onClick={() => {
                navigate({ screen: 'sweep', host, server: id })
              }}
            >
              Plan a sweep
            </Button>
          )}
        </>
      }
    >
      <div className={progressClasses.progress}>
        <div className={progressClasses.left}>
          <StateCard view={view} isStopped={stop.report?.stopped === true} isStopping={stop.busy} />
          {stop.error !== undefined && <ErrorNotice error={stop.error} onClose={stop.clear} />}
          {stop.report !== undefined && <StopProof report={stop.report} />}
          <ServerFacts server={server} />
          {server.launchCommand !== undefined && (
            <Panel
              title="Command"
              actions={<CopyButton value={server.launchCommand} label="Copy the command, without secrets" />}
            >
              <pre className={progressClasses.command}>{server.launchCommand}</pre>
              <Button
                className={classes.reuse ?? ''}
                size="compact-sm"
                variant="default"
                onClick={() => {
                  navigate({ screen: 'launch', host, command: server.launchCommand ?? '' })
                }}
              >
                Use it for a new launch
              </Button>
            </Panel>
          )}
        </div>
        <div className={progressClasses.right}>
          {server.logPath === undefined ? (
            <Panel title="Log" fill>
              <p>
                {server.adopted
                  ? 'The log of an adopted server is not known: whoever started it decided where it goes.'
                  : 'This server has no log.'}
              </p>
            </Panel>
          ) : (
            <LogPanel host={host} server={id} path={server.logPath} />
          )}
        </div>
      </div>
    </Screen>
  )
}

const HEALTH: Record<NonNullable<ServerView['health']>, string> = {
  ok: 'answers',
  unhealthy: 'answers that it is not well',
  refused: 'does not answer',
}

function StateCard({ view, isStopped, isStopping }: { view: ServerView; isStopped: boolean; isStopping: boolean }) {
  const state = isStopped ? 'stopped' : isStopping ? 'stopping' : view.state
  return (
    <div className={progressClasses.outcome} data-state={state}>
      <span className={progressClasses.state} role="status">
        <StateSign {...SERVER_SIGNS[state]} withWord />
      </span>
      <span className={progressClasses.clock}>{view.health === undefined || isStopped ? '' : HEALTH[view.health]}</span>
      {!isStopped && (
        <span className={progressClasses.line} title={view.evidence}>
          {view.evidence}
        </span>
      )}
    </div>
  )
}
