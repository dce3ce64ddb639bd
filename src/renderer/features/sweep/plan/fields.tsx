import { Select, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Choice } from './choices.ts'
import classes from './plan.module.css'
import type { FormErrors, PlanForm } from './plan-form.ts'

/** What every part of the editor gets. */
export interface PartProps {
  form: PlanForm
  errors: FormErrors
  change: (change: Partial<PlanForm>) => void
}

type TextField = { [Name in keyof PlanForm]: PlanForm[Name] extends string ? Name : never }[keyof PlanForm]

interface NumberFieldProps extends PartProps {
  name: TextField
  label: string
  hint: string
  unit?: string
  placeholder?: string
}

/** A number as typed, its message beside it. */
export function NumberField({ form, errors, change, name, label, hint, unit, placeholder }: NumberFieldProps) {
  return (
    <TextInput
      id={`plan-${name}`}
      label={label}
      description={hint}
      inputMode="decimal"
      value={form[name]}
      error={errors[name]}
      {...(placeholder !== undefined && { placeholder })}
      rightSection={unit === undefined ? undefined : <span className={classes.unit}>{unit}</span>}
      rightSectionWidth={unit === undefined ? undefined : 16 + unit.length * 8}
      rightSectionPointerEvents="none"
      onChange={(event) => change({ [name]: event.currentTarget.value })}
    />
  )
}

interface ChoiceFieldProps<Value extends string> {
  label: string
  choices: readonly Choice<Value>[]
  value: Value
  error?: string | undefined
  onChange: (value: Value) => void
}

/** A choice; what the chosen one means stands below it. */
export function ChoiceField<Value extends string>({ label, choices, value, error, onChange }: ChoiceFieldProps<Value>) {
  const chosen = choices.find((choice) => choice.value === value)
  return (
    <Select
      label={label}
      data={choices.map(({ value, label }) => ({ value, label }))}
      value={value}
      allowDeselect={false}
      description={chosen?.hint}
      error={error}
      renderOption={({ option }) => (
        <span className={classes.option}>
          <span>{option.label}</span>
          <span className={classes.optionHint}>{choices.find((choice) => choice.value === option.value)?.hint}</span>
        </span>
      )}
      onChange={(next) => {
        const choice = choices.find((candidate) => candidate.value === next)
        if (choice) onChange(choice.value)
      }}
    />
  )
}

export function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className={classes.part}>
      <legend>{title}</legend>
      {children}
    </fieldset>
  )
}
