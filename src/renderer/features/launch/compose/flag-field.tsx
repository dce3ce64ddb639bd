import { Autocomplete, TextInput, Tooltip } from '@mantine/core'
import { useState } from 'react'
import type { FormFlag } from '../command/form-flags.ts'

interface FlagFieldProps {
  field: FormFlag
  /** As the command says it; undefined where the flag isn't there. */
  value: string | undefined
  /** Beside the help: what the value comes to. */
  note?: string | undefined
  warning?: string | undefined
  onChange: (value: string) => void
  /** The field has the focus: its help is shown below the form. */
  onHelp: (help: string | undefined) => void
}

/** While it has the focus the field shows what is typed; else what the command says. */
export function FlagField({ field, value, note, warning, onChange, onHelp }: FlagFieldProps) {
  const [typed, setTyped] = useState<string>()
  const shown = typed ?? value ?? ''
  const problem = value === undefined || value === '' ? undefined : field.problem(value)
  const common = {
    label: (
      <Tooltip label={`${field.help} (${field.flag})`} position="top-start">
        <span>{field.label}</span>
      </Tooltip>
    ),
    description: (
      <>
        {note}
        <span className="visually-hidden"> {field.help}</span>
      </>
    ),
    descriptionProps: note === undefined ? { className: 'visually-hidden' } : {},
    placeholder: field.placeholder,
    maxLength: 2000,
    error: problem ?? warning,
    spellCheck: false,
    value: shown,
    onFocus: () => {
      setTyped(value ?? '')
      onHelp(field.help)
    },
    onBlur: () => {
      setTyped(undefined)
      onHelp(undefined)
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
