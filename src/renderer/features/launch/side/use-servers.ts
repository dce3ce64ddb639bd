import { useEffect, useEffectEvent } from 'react'
import type { LaunchView, ServerView } from '../../../../shared/contract/servers.ts'
import { useClient } from '../../../state/context.ts'
import { type QueryState, useQuery } from '../../../state/use-query.ts'

/** Each look is a few commands on the host. */
const LOOK_EVERY_MS = 15_000

function useRepeated<Value>(query: QueryState<Value>, everyMs: number): QueryState<Value> {
  const look = useEffectEvent(() => {
    if (document.visibilityState === 'visible') query.reload()
  })
  useEffect(() => {
    const timer = setInterval(look, everyMs)
    return () => {
      clearInterval(timer)
    }
  }, [everyMs])
  return query
}

/** Servers of ours on a host, looked at again while the page is seen. */
export function useServers(host: string): QueryState<ServerView[]> {
  const client = useClient()
  return useRepeated(
    useQuery(`servers ${host}`, (signal) => client.servers.list.query({ host }, { signal })),
    LOOK_EVERY_MS,
  )
}

/** Launches this engine remembers, newest first. */
export function useLaunches(): QueryState<LaunchView[]> {
  const client = useClient()
  return useRepeated(
    useQuery('launches', (signal) => client.servers.launches.query(undefined, { signal })),
    3000,
  )
}
