import { useMemo } from 'react'
import { useClient, useSettings } from '../../../state/context.ts'
import { useQuery } from '../../../state/use-query.ts'
import { type BaselineCells, baselineCells } from '../grid/baseline.ts'
import { useSweep } from '../state/sweep-feed.ts'

export interface Baseline {
  name: string
  runId: string
  cells: BaselineCells
}

export const useBaselineId = (): string | undefined => useSettings()?.baselineRunId

/** The run that settings name as baseline, unless it is this one. A baseline that is gone compares with nothing. */
export function useBaseline(): Baseline | undefined {
  const client = useClient()
  const baselineRunId = useBaselineId()
  const runId = useSweep((state) => state.head.runId)
  const wanted = baselineRunId === runId ? undefined : baselineRunId
  const { value } = useQuery(`baseline ${wanted ?? ''}`, () =>
    wanted === undefined ? Promise.resolve(undefined) : client.runs.document.query({ runId: wanted }),
  )
  return useMemo(() => value && { name: value.name, runId: value.id, cells: baselineCells(value) }, [value])
}
