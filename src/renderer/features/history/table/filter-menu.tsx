import { Button, Checkbox, Popover, ScrollArea, Stack, TextInput } from '@mantine/core'
import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { countText } from '../../../../shared/format/index.ts'
import type { Choice } from '../../../../shared/contract/runs.ts'
import classes from './bar.module.css'

interface FilterMenuProps {
  label: string
  choices: readonly Choice[]
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
  textOf?: (value: string) => string
}

const MANY = 9

/** One thing to filter by: several values may be chosen. */
export function FilterMenu({ label, choices, chosen, onChange, textOf = (value) => value }: FilterMenuProps) {
  const [search, setSearch] = useState('')
  const shown = choices.filter(({ value }) => textOf(value).toLowerCase().includes(search.toLowerCase()))
  const first = chosen[0]
  return (
    <Popover position="bottom-start" width={300} trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant={chosen.length === 0 ? 'default' : 'light'}
          rightSection={<ChevronDown size={13} aria-hidden />}
          disabled={choices.length === 0 && chosen.length === 0}
          className={classes.filter ?? ''}
        >
          {first === undefined ? label : `${label}: ${textOf(first)}${chosen.length > 1 ? ` +${String(chosen.length - 1)}` : ''}`}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          {choices.length >= MANY && (
            <TextInput
              data-autofocus
              aria-label={`Find a ${label.toLowerCase()}`}
              placeholder="Find"
              maxLength={100}
              value={search}
              onChange={(event) => {
                setSearch(event.currentTarget.value)
              }}
            />
          )}
          <ScrollArea.Autosize mah={300} type="auto" scrollbars="y">
            <div className={classes.choices} role="group" aria-label={label}>
              {shown.map(({ value, count }) => (
                <Checkbox
                  key={value}
                  checked={chosen.includes(value)}
                  label={
                    <span className={classes.choice}>
                      <span className={classes.choiceText}>{textOf(value)}</span>
                      <span className={classes.count}>{countText(count)}</span>
                    </span>
                  }
                  onChange={(event) => {
                    onChange(event.currentTarget.checked ? [...chosen, value] : chosen.filter((it) => it !== value))
                  }}
                />
              ))}
              {shown.length === 0 && <p className={classes.dim}>Nothing with “{search}” in it.</p>}
            </div>
          </ScrollArea.Autosize>
          {chosen.length > 0 && (
            <Button
              size="compact-sm"
              variant="subtle"
              color="gray"
              onClick={() => {
                onChange([])
              }}
            >
              Any {label.toLowerCase()}
            </Button>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
