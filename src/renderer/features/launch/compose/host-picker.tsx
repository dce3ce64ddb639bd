import { Select } from '@mantine/core'
import type { HostView } from '../../../../shared/contract/hosts.ts'
import { ConnectionStateText } from '../../hosts/connection-state.tsx'
import { gpusText } from '../../hosts/host-texts.ts'
import classes from './picker.module.css'

const KEY = 'speedgrid.launch.host'

export function rememberHost(name: string) {
  localStorage.setItem(KEY, name)
}

/** The one asked for, the last one used, one that is connected, the first. */
export function chosenHost(hosts: readonly HostView[], asked: string | undefined): HostView | undefined {
  const named = (name: string | null | undefined) => hosts.find((view) => view.host.name === name)
  return named(asked) ?? named(localStorage.getItem(KEY)) ?? hosts.find((view) => view.connection === 'connected') ?? hosts[0]
}

interface HostPickerProps {
  hosts: readonly HostView[]
  chosen: HostView
  onChoose: (name: string) => void
}

export function HostPicker({ hosts, chosen, onChoose }: HostPickerProps) {
  const viewOf = (name: string) => hosts.find((view) => view.host.name === name)
  return (
    <>
      <Select
        aria-label="Host"
        className={classes.picker ?? ''}
        comboboxProps={{ width: 380, position: 'bottom-start' }}
        allowDeselect={false}
        searchable={hosts.length > 8}
        data={hosts.map((view) => view.host.name)}
        value={chosen.host.name}
        onChange={(name) => {
          if (name !== null) onChoose(name)
        }}
        renderOption={({ option }) => {
          const view = viewOf(option.value)
          return (
            <span className={classes.option}>
              <strong>{option.value}</strong>
              {view !== undefined && <ConnectionStateText connection={view.connection} />}
              <span className={classes.gpus}>{gpusText(view?.inventory)}</span>
            </span>
          )
        }}
      />
      <span className={classes.state}>
        <ConnectionStateText connection={chosen.connection} />
        <span className={classes.gpus}>{gpusText(chosen.inventory)}</span>
      </span>
    </>
  )
}
