import { Button, Group, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useClient } from '../../../state/context.ts'
import { useCommandTo } from '../../../state/use-query.ts'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { useArrivalFocus } from '../../../ui/use-arrival-focus.ts'
import classes from './alias-list.module.css'
import { type ByHandValues, checkByHand, suggestName } from './by-hand.ts'

interface ByHandFormProps {
  taken: readonly string[]
  onCancel: () => void
  onAdded: (name: string) => void
}

export function ByHandForm({ taken, onCancel, onAdded }: ByHandFormProps) {
  const client = useClient()
  const first = useArrivalFocus<HTMLInputElement>()
  const [values, setValues] = useState<ByHandValues>({ target: '', name: '', identityFile: '' })
  const [left, setLeft] = useState<ReadonlySet<keyof ByHandValues>>(new Set())
  const [isNamed, setIsNamed] = useState(false)
  const add = useCommandTo(async ({ target, name, identityFile }: ByHandValues) => {
    await client.hosts.add.mutate({ target, name, ...(identityFile === '' ? {} : { identityFile }) })
    onAdded(name)
  })
  const problems = checkByHand(values, taken)
  // A message appears when its field was left, not while it is still being typed.
  const field = (key: keyof ByHandValues) => ({
    value: values[key],
    error: left.has(key) ? problems[key] : undefined,
    onBlur: () => {
      if (values[key] !== '') setLeft((before) => new Set([...before, key]))
    },
    autoComplete: 'off',
    spellCheck: false,
  })
  const change = (part: Partial<ByHandValues>) => {
    add.clear()
    setValues((before) => ({ ...before, ...part }))
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setLeft(new Set(['target', 'name', 'identityFile']))
    if (Object.keys(problems).length > 0) return
    void add.run({ target: values.target.trim(), name: values.name.trim(), identityFile: values.identityFile.trim() })
  }
  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <TextInput
        {...field('target')}
        ref={first}
        data-autofocus
        label="Address"
        placeholder="ann@10.20.0.11:2222"
        description="user@address:port; what is left out comes from ~/.ssh/config, then from SSH’s defaults."
        maxLength={320}
        required
        onChange={({ currentTarget: { value } }) => {
          change(isNamed ? { target: value } : { target: value, name: suggestName(value) })
        }}
      />
      <TextInput
        {...field('name')}
        label="Name"
        placeholder="lab-3"
        description="How you call it here and on the command line."
        maxLength={120}
        required
        onChange={({ currentTarget: { value } }) => {
          setIsNamed(value !== '')
          change({ name: value })
        }}
      />
      <TextInput
        {...field('identityFile')}
        label="Identity file"
        placeholder="~/.ssh/id_ed25519"
        description="Optional. Without it, your SSH agent and the usual files are tried. The key itself never leaves its file."
        maxLength={4100}
        onChange={({ currentTarget: { value } }) => {
          change({ identityFile: value })
        }}
      />
      {add.error !== undefined && <ErrorNotice error={add.error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" loading={add.busy}>
          Add and connect
        </Button>
      </Group>
    </form>
  )
}
