import { Button } from '@mantine/core'
import { Gauge, PencilLine, X } from 'lucide-react'
import { useState } from 'react'
import type { LaunchView } from '../../../../shared/contract/servers.ts'
import { clockText, durationText } from '../../../../shared/format/index.ts'
import { shownCommand } from '../../../../shared/secrets/index.ts'
import { Screen } from '../../../app/screen.tsx'
import { navigate } from '../../../app/use-route.ts'
import { useApp, useClient } from '../../../state/context.ts'
import { replace } from '../../../state/reduce.ts'
import { useFeed } from '../../../state/use-feed.ts'
import { useCommandTo } from '../../../state/use-query.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { FeedGate } from '../../../ui/feed-gate.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { isDraftOf } from '../compose/use-draft.ts'
import { LogPanel } from '../log/log-panel.tsx'
import { ServerFacts } from '../server/server-facts.tsx'
import { LAUNCH_SIGNS, StateSign } from '../side/state-sign.tsx'
import { phaseRows } from './phases.ts'
import classes from './progress.module.css'
import { Timeline } from './timeline.tsx'

export function LaunchProgress({ launchId }: { launchId: string }) {
  const client = useClient()
  const feed = useFeed<LaunchView, LaunchView>(launchId, (on) => client.servers.watchLaunch.subscribe({ launchId }, on), replace)
  const view = feed.value
  if (view !== undefined) return <Progress view={view} />
  return (
    <Screen
      title="Launch"
      actions={
        <Button
          variant="default"
          onClick={() => {
            navigate({ screen: 'launch' })
          }}
        >
          Back to launching
        </Button>
      }
    >
      <FeedGate feed={feed} what="the launch" onRetry={feed.ask}>
        {() => null}
      </FeedGate>
    </Screen>
  )
}

function Progress({ view }: { view: LaunchView }) {
  const app = useApp()
  const client = useClient()
  const [line, setLine] = useState('')
  const cancel = useCommandTo(() => client.servers.cancelLaunch.mutate({ launchId: view.launchId }))
  const { server, host } = view
  const rows = phaseRows(view)
  const edit = () => {
    const isWritten = isDraftOf(app, view.command)
    navigate({ screen: 'launch', host, ...(isWritten ? {} : { command: view.command }) })
  }
  const isOver = view.state === 'failed' || view.state === 'cancelled'
  return (
    <Screen
      title="Launch"
      layout="fill"
      context={
        <>
          <strong>{host}</strong>
          <span className={classes.contextName} title={server?.name}>
            {server?.name ?? view.known?.servedModel}
          </span>
        </>
      }
      actions={
        <>
          {view.state === 'starting' && (
            <Button
              variant="default"
              leftSection={<X size={14} aria-hidden />}
              loading={cancel.busy}
              onClick={() => void cancel.run(undefined)}
            >
              Cancel
            </Button>
          )}
          {isOver && (
            <Button leftSection={<PencilLine size={14} aria-hidden />} onClick={edit}>
              Edit and try again
            </Button>
          )}
          {view.state === 'ready' && server !== undefined && (
            <>
              <Button
                variant="default"
                onClick={() => {
                  navigate({ screen: 'launch', host, server: server.id })
                }}
              >
                Server
              </Button>
              <Button
                leftSection={<Gauge size={14} aria-hidden />}
                onClick={() => {
                  navigate({ screen: 'sweep', host, server: server.id })
                }}
              >
                Plan a sweep
              </Button>
            </>
          )}
        </>
      }
    >
      <div className={classes.progress}>
        <div className={classes.left}>
          <Outcome view={view} line={line} onEdit={edit} />
          {cancel.error !== undefined && <ErrorNotice error={cancel.error} onClose={cancel.clear} />}
          {view.state === 'ready' && server !== undefined && <ServerFacts server={server} known={view.known} />}
          <Panel
            title="Start-up"
            note={
              rows.length > 0 ? undefined : view.state === 'starting' ? 'nothing said yet' : 'it ended before its first phase'
            }
          >
            <Timeline rows={rows} totalSeconds={view.seconds} />
          </Panel>
          <Panel
            title="Command"
            actions={<CopyButton value={shownCommand(view.command)} label="Copy the command, without secrets" />}
          >
            {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
            <pre className={classes.command} tabIndex={0}>
              {shownCommand(view.command)}
            </pre>
          </Panel>
        </div>
        <div className={classes.right}>
          {server === undefined ? (
            <Panel title="Log" fill>
              <p className={classes.noLog}>
                {view.state === 'starting'
                  ? 'The log appears as soon as the process has been started.'
                  : 'No process was started, so there is no log.'}
              </p>
            </Panel>
          ) : (
            <LogPanel host={host} server={server.id} path={server.logPath} onLine={setLine} />
          )}
        </div>
      </div>
    </Screen>
  )
}

/** What it has come to, in one line, and what to do next. */
function Outcome({ view, line, onEdit }: { view: LaunchView; line: string; onEdit: () => void }) {
  const { state, seconds, error } = view
  return (
    <>
      <div className={classes.outcome} data-state={state}>
        <span className={classes.state} role="status">
          <StateSign {...LAUNCH_SIGNS[state]} withWord />
        </span>
        <span className={classes.clock}>{state === 'starting' ? clockText(seconds) : `after ${durationText(seconds)}`}</span>
        {state === 'starting' && line !== '' && (
          <span className={classes.line} title={line}>
            {line}
          </span>
        )}
        {state === 'cancelled' && (
          <span className={classes.line}>What had been started was ended; nothing is left on the host.</span>
        )}
      </div>
      {error !== undefined && <ErrorNotice error={error} onRetry={onEdit} retryLabel="Edit and try again" />}
    </>
  )
}
