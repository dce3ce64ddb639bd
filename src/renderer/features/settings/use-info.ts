import type { AppInfo } from '../../../shared/contract/app.ts'
import { useClient } from '../../state/context.ts'
import { type QueryState, useQuery } from '../../state/use-query.ts'

export function useInfo(): QueryState<AppInfo> {
  const client = useClient()
  return useQuery('info', (signal) => client.app.info.query(undefined, { signal }))
}
