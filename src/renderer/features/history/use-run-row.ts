import type { RunRow } from '../../../shared/contract/runs.ts'
import { useClient, useRuns } from '../../state/context.ts'
import { useQuery } from '../../state/use-query.ts'
import { useKept } from './use-kept.ts'

/** A run's row as it is now, wherever in the history it stands; undefined until it is known. `runId` must not change. */
export function useRunRow(runId: string): RunRow | undefined {
  const client = useClient()
  const now = useRuns().value
  const told = now?.going.find((run) => run.id === runId) ?? now?.recent.find((run) => run.id === runId)
  // An older one, or one in the trash: asked for, again with every change of the history.
  const asked = useQuery(`row ${runId} ${told === undefined ? String(now?.version) : 'told'}`, async (signal) =>
    told === undefined ? client.runs.row.query({ runId }, { signal }) : undefined,
  )
  return useKept(told ?? asked.value)
}
