import { Pill, PillsInput } from '@mantine/core'
import { type KeyboardEvent, useState } from 'react'
import type { Typed } from './lists.ts'
import classes from './plan.module.css'

interface ChipsFieldProps<Value extends string | number> {
  label: string
  hint: string
  placeholder: string
  values: readonly Value[]
  error?: string | undefined
  textOf: (value: Value) => string
  read: (text: string) => Typed<Value>
  merge: (before: readonly Value[], more: readonly Value[]) => Value[]
  onChange: (values: Value[]) => void
}

/** A list as chips: typed, pasted ("0,8k,251k|max", "50:100:10"), taken away with a click or Backspace. */
export function ChipsField<Value extends string | number>(props: ChipsFieldProps<Value>) {
  const { label, hint, placeholder, values, error, textOf, read, merge, onChange } = props
  const [text, setText] = useState('')
  const [wrong, setWrong] = useState<string>()
  const take = (typed: string) => {
    if (typed.trim() === '') return
    const { values: more, rest, error } = read(typed)
    setWrong(error)
    setText(rest)
    if (more.length > 0) onChange(merge(values, more))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if ((event.key === 'Enter' || event.key === ',' || event.key === ' ') && !event.ctrlKey && !event.metaKey) {
      event.preventDefault()
      take(text)
    } else if (event.key === 'Backspace' && text === '' && values.length > 0) onChange(values.slice(0, -1))
  }
  return (
    <PillsInput label={label} description={hint} error={wrong ?? error}>
      <Pill.Group role="group" aria-label={`${label}, chosen`}>
        <span {...(values.length > 0 && { role: 'list' })} className={classes.chips}>
          {values.map((value) => (
            <Pill
              key={value}
              role="listitem"
              withRemoveButton
              removeButtonProps={{ 'aria-label': `Take ${textOf(value)} away`, 'aria-hidden': false, tabIndex: 0 }}
              onRemove={() => onChange(values.filter((other) => other !== value))}
            >
              {textOf(value)}
            </Pill>
          ))}
        </span>
        <PillsInput.Field
          value={text}
          placeholder={values.length === 0 ? placeholder : 'add…'}
          onChange={(event) => {
            setWrong(undefined)
            setText(event.currentTarget.value)
          }}
          onPaste={(event) => {
            event.preventDefault()
            take(`${text}${event.clipboardData.getData('text').replaceAll('|', ',')}`)
          }}
          onKeyDown={onKeyDown}
          onBlur={() => take(text)}
        />
      </Pill.Group>
    </PillsInput>
  )
}
