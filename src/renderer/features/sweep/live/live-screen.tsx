import { useEffect, useMemo } from 'react'
import { useStore } from 'zustand'
import { Screen } from '../../../app/screen.tsx'
import { useClient } from '../../../state/context.ts'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { Loading } from '../../../ui/loading.tsx'
import { createSweepFeed, SweepFeedContext } from '../state/sweep-feed.ts'
import { Announcements } from './announcements.tsx'
import { Banners } from './banners.tsx'
import classes from './live.module.css'
import { RunActions } from './run-actions.tsx'
import { RunContext, RunHead } from './run-head.tsx'
import { Workspace } from './workspace.tsx'

/** A run that is going on or is over: reload and second window come here and see the same. */
export function LiveScreen({ runId }: { runId: string }) {
  const client = useClient()
  const feed = useMemo(() => createSweepFeed(client, runId), [client, runId])
  useEffect(() => feed.use(), [feed])
  const status = useStore(feed, (state) => (state.value === undefined ? 'nothing' : 'there'))
  const error = useStore(feed, (state) => state.error)
  if (status === 'nothing') {
    return (
      <Screen title="Sweep">
        {error === undefined ? <Loading what="the sweep" /> : <ErrorNotice error={error} onRetry={feed.ask} />}
      </Screen>
    )
  }
  return (
    <SweepFeedContext value={feed}>
      <Screen title="Sweep" context={<RunContext />} actions={<RunActions />} layout="fill">
        <div className={classes.screen}>
          <Banners />
          <RunHead />
          <Workspace />
        </div>
        <Announcements />
      </Screen>
    </SweepFeedContext>
  )
}
