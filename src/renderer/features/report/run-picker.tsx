import { Select } from '@mantine/core'
import { useMemo, useState } from 'react'
import type { RunRow } from '../../../shared/contract/runs.ts'
import { absoluteTime } from '../../../shared/format/index.ts'
import { filterRuns, NO_FILTER } from '../history/filter-runs.ts'
import classes from './report.module.css'

/** Enough to choose from; searching finds the others. */
const SHOWN = 50

export interface RunPickerProps {
  runs: readonly RunRow[]
  runId: string
  onChoose: (runId: string) => void
}

export function RunPicker({ runs, runId, onChoose }: RunPickerProps) {
  const [search, setSearch] = useState('')
  const chosen = runs.find((run) => run.id === runId)
  const shown = useMemo(() => {
    // Opened, the field says the chosen name: that is no search.
    const found = filterRuns(runs, { ...NO_FILTER, search: search === chosen?.name ? '' : search }).slice(0, SHOWN)
    return chosen === undefined || found.includes(chosen) ? found : [chosen, ...found]
  }, [runs, search, chosen])
  return (
    <Select
      aria-label="Run"
      className={classes.picker ?? ''}
      comboboxProps={{ width: 460, position: 'bottom-start' }}
      searchable
      allowDeselect={false}
      maxLength={200}
      nothingFoundMessage="No run matches"
      data={shown.map((run) => ({ value: run.id, label: run.name }))}
      value={chosen === undefined ? null : runId}
      placeholder="Choose a run"
      filter={({ options }) => options}
      onSearchChange={setSearch}
      onChange={(id) => {
        if (id !== null) onChoose(id)
      }}
      renderOption={({ option }) => {
        const run = shown.find((it) => it.id === option.value)
        return (
          <span className={classes.option}>
            <span>{option.label}</span>
            <span className={classes.small}>
              {[absoluteTime(run?.startedAt ?? run?.createdAt), run?.host, run?.state].filter(Boolean).join(' · ')}
            </span>
          </span>
        )
      }}
    />
  )
}
