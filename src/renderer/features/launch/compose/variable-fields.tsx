import { Button, TextInput } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { setVariable, type VariableUse } from '../../../../shared/command/index.ts'
import classes from './form.module.css'
import { RemoveButton } from './secret-fields.tsx'

interface VariableFieldsProps {
  text: string
  variables: readonly VariableUse[]
  onChange: (text: string) => void
}

const NAME = /^[A-Za-z_]\w*$/

/** Environment variables in front of the command. */
export function VariableFields({ text, variables, onChange }: VariableFieldsProps) {
  const [name, setName] = useState<string>()
  const problem =
    name === undefined || name === ''
      ? undefined
      : !NAME.test(name)
        ? 'Letters, digits and underscores; no digit first.'
        : variables.some((it) => it.name === name)
          ? 'It is there already.'
          : undefined
  const add = () => {
    if (name === undefined || name === '' || problem !== undefined) return
    onChange(setVariable(text, name, ''))
    setName(undefined)
  }
  return (
    <fieldset className={classes.group}>
      <legend className={classes.legend}>Variables</legend>
      {variables.map((use) => (
        <div key={use.start} className={classes.row}>
          <VariableField
            use={use}
            onChange={(value) => {
              onChange(setVariable(text, use.name, value))
            }}
          />
          <RemoveButton
            label={`Remove ${use.name}`}
            onClick={() => {
              onChange(setVariable(text, use.name, undefined))
            }}
          />
        </div>
      ))}
      {name === undefined ? (
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          className={classes.add ?? ''}
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => {
            setName('')
          }}
        >
          Add a variable
        </Button>
      ) : (
        <div className={classes.row}>
          <TextInput
            className={classes.grow ?? ''}
            data-autofocus
            autoFocus
            aria-label="Name of the new variable"
            placeholder="VLLM_ATTENTION_BACKEND"
            description="Enter adds it, Esc leaves."
            maxLength={200}
            value={name}
            error={problem}
            onChange={(event) => {
              setName(event.currentTarget.value.trim())
            }}
            onKeyDown={(event) => {
              if (event.key === 'Enter') add()
              if (event.key === 'Escape') setName(undefined)
            }}
            onBlur={() => {
              if (name === '') setName(undefined)
            }}
          />
        </div>
      )}
    </fieldset>
  )
}

function VariableField({ use, onChange }: { use: VariableUse; onChange: (value: string) => void }) {
  const [typed, setTyped] = useState<string>()
  return (
    <TextInput
      className={classes.grow ?? ''}
      label={use.name}
      value={typed ?? use.value}
      maxLength={4000}
      spellCheck={false}
      onFocus={() => {
        setTyped(use.value)
      }}
      onBlur={() => {
        setTyped(undefined)
      }}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        onChange(event.currentTarget.value)
      }}
    />
  )
}
