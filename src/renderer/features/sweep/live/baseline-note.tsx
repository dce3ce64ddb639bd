import { ActionIcon, Tooltip } from '@mantine/core'
import { X } from 'lucide-react'
import { useApp } from '../../../state/context.ts'
import { confirmlessUndo } from '../../../ui/toasts.tsx'
import { useFeedStore } from '../../../state/use-feed.ts'
import { useQuery } from '../../../state/use-query.ts'
import { useKept } from '../../history/use-kept.ts'
import { useSweep } from '../state/sweep-feed.ts'
import { useBaselineId } from './use-baseline.ts'
import classes from './live.module.css'

/** Which run the figures are compared with, and the way out of it. */
export function BaselineNote() {
  const { client, settings, runs } = useApp()
  const baselineRunId = useBaselineId()
  const runId = useSweep((state) => state.head.runId)
  const version = useFeedStore(runs, (state) => state.value?.version)
  const row = useQuery(`baseline ${String(baselineRunId)} ${String(version)}`, async (signal) =>
    baselineRunId === undefined ? undefined : client.runs.row.query({ runId: baselineRunId }, { signal }),
  )
  const name = useKept(row.value)?.name ?? 'the baseline'
  const change = (id: string | null) => settings.getState().change({ baselineRunId: id })
  const leave = () =>
    void confirmlessUndo({
      text: `No longer compared with ${name}`,
      act: () => change(null),
      undo: () => change(baselineRunId ?? null),
    })
  if (baselineRunId === undefined || baselineRunId === runId) return null
  return (
    <span className={classes.baseline}>
      <Tooltip
        label={`Small figures: ${name}, and how far this run is from it. Coloured only where the difference is beyond the noise.`}
      >
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- its tooltip is for the keyboard too */}
        <span className={classes.baselineName} tabIndex={0}>
          against {name}
        </span>
      </Tooltip>
      <ActionIcon variant="subtle" color="gray" size={24} aria-label="Compare with nothing" onClick={leave}>
        <X size={13} aria-hidden />
      </ActionIcon>
    </span>
  )
}
