import { Autocomplete, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { FormFlag } from '../command/form-flags.ts'

export interface FlagFieldProps {
  field: FormFlag
  /** As the command says it; undefined where the flag isn't there. */
  value: string | undefined
  /** Beside the help: what the value comes to. */
  note?: string | undefined
  warning?: string | undefined
  onChange: (value: string) => void
}

/** While it has the focus the field shows what is typed; else what the command says. */
export function FlagField({ field, value, note, warning, onChange }: FlagFieldProps) {
  const [typed, setTyped] = useState<string>()
  const shown = typed ?? value ?? ''
  const problem = value === undefined || value === '' ? undefined : field.problem(value)
  const common = {
    label: field.label,
    description: note ?? field.help,
    placeholder: field.placeholder,
    maxLength: 2000,
    error: problem ?? warning,
    spellCheck: false,
    value: shown,
    onFocus: () => {
      setTyped(value ?? '')
    },
    onBlur: () => {
      setTyped(undefined)
    },
  }
  const change = (next: string) => {
    setTyped((before) => (before === undefined ? undefined : next))
    onChange(next)
  }
  return field.choices === undefined ? (
    <TextInput
      {...common}
      onChange={(event) => {
        change(event.currentTarget.value)
      }}
    />
  ) : (
    <Autocomplete {...common} data={[...field.choices]} onChange={change} filter={({ options }) => options} />
  )
}
