import { Button, Checkbox, Group, PasswordInput, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { PromptView } from '../../../shared/contract/prompts.ts'
import type { ErrorInfo } from '../../../shared/model/error.ts'
import { useAbilities } from '../../state/context.ts'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import classes from './secret-question.module.css'

interface SecretQuestionProps {
  prompt: Extract<PromptView, { kind: 'secret' }>
  busy: boolean
  error: ErrorInfo | undefined
  onCancel: () => void
  onAnswer: (value: string, keep: boolean) => void
}

/** Password, passphrase or one-time code. The value lives in this field only until it is sent. */
export function SecretQuestion({ prompt, busy, error, onCancel, onAnswer }: SecretQuestionProps) {
  const [value, setValue] = useState('')
  const [isKept, setIsKept] = useState(false)
  const abilities = useAbilities()
  const canKeep = prompt.keepAs !== undefined && abilities?.secrets === 'keyring'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onAnswer(value, canKeep && isKept)
    setValue('')
  }
  const common = {
    label: prompt.text,
    value,
    maxLength: 4096,
    'data-autofocus': true,
    autoComplete: prompt.echo ? 'one-time-code' : 'off',
    spellCheck: false,
    onChange: (event: { currentTarget: { value: string } }) => {
      setValue(event.currentTarget.value)
    },
  }
  return (
    <form className={classes.form} onSubmit={submit}>
      {prompt.echo ? <TextInput {...common} /> : <PasswordInput {...common} />}
      {canKeep && (
        <Checkbox
          label="Keep it in the system’s keyring"
          checked={isKept}
          onChange={(event) => {
            setIsKept(event.currentTarget.checked)
          }}
        />
      )}
      <p className={classes.note}>
        {canKeep ? 'Sent to the engine for this login.' : 'Sent to the engine for this one login.'} It is never written to a file,
        a log or a command.
        {abilities?.secretsNote !== undefined && ` ${abilities.secretsNote}`}
      </p>
      {error !== undefined && <ErrorNotice error={error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" loading={busy}>
          Send
        </Button>
      </Group>
    </form>
  )
}
