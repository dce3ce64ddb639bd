import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import type { RunRow } from '../../../shared/contract/runs.ts'
import { absoluteTime } from '../../../shared/format/index.ts'
import { useClient, useRuns } from '../../state/context.ts'
import { useQuery } from '../../state/use-query.ts'
import { useKept } from '../history/use-kept.ts'
import classes from './report.module.css'

/** Enough to choose from; searching finds the others. */
const SHOWN = 50
/** Keys of one word are one question to the engine. */
const TYPING_MS = 120

interface RunPickerProps {
  chosen: RunRow | undefined
  onChoose: (runId: string) => void
}

export function RunPicker({ chosen, onChoose }: RunPickerProps) {
  const client = useClient()
  const version = useRuns().value?.version
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed, TYPING_MS)
  // Opened, the field says the chosen name: that is no search.
  const wanted = search === chosen?.name ? '' : search
  const found = useQuery(`pick ${String(version)} ${wanted}`, (signal) =>
    client.runs.list.query({ search: wanted, limit: SHOWN }, { signal }),
  )
  const rows = useKept(found.value)?.rows ?? []
  const shown = chosen === undefined || rows.some(({ id }) => id === chosen.id) ? rows : [chosen, ...rows]
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
      value={chosen?.id ?? null}
      placeholder="Choose a run"
      filter={({ options }) => options}
      onSearchChange={setTyped}
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
