import { ActionIcon, PasswordInput, Tooltip } from '@mantine/core'
import { X } from 'lucide-react'
import type { Dispatch } from 'react'
import type { DraftAction, DraftSecret } from './draft.ts'
import classes from './form.module.css'

/** Secrets that were found in the command. They stay in this window's memory until the launch. */
export function SecretFields({ secrets, dispatch }: { secrets: readonly DraftSecret[]; dispatch: Dispatch<DraftAction> }) {
  if (secrets.length === 0) return null
  const set = (next: DraftSecret[]) => {
    dispatch({ kind: 'edit', change: { secrets: next } })
  }
  return (
    <fieldset className={classes.group}>
      <legend className={classes.legend}>Secrets</legend>
      <p className={classes.help}>
        Taken out of the command. They go to the server over standard input and are not saved, logged or shown.
      </p>
      {secrets.map(({ name, value }) => (
        <div key={name} className={classes.row}>
          <PasswordInput
            className={classes.grow ?? ''}
            label={name}
            value={value}
            maxLength={4096}
            autoComplete="off"
            placeholder="not kept: give it again, or remove it"
            error={value === '' ? 'Left out of the launch while it is empty.' : undefined}
            visibilityToggleButtonProps={{ 'aria-label': `Show ${name}` }}
            onChange={(event) => {
              const next = event.currentTarget.value.replaceAll(/[\r\n]/g, '')
              set(secrets.map((secret) => (secret.name === name ? { name, value: next } : secret)))
            }}
          />
          <RemoveButton
            label={`Remove ${name}`}
            onClick={() => {
              set(secrets.filter((secret) => secret.name !== name))
            }}
          />
        </div>
      ))}
    </fieldset>
  )
}

export function RemoveButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" size={26} aria-label={label} onClick={onClick}>
        <X size={14} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}
