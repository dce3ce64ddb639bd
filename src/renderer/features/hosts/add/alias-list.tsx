import { Button, Checkbox, Group, TextInput } from '@mantine/core'
import { Search } from 'lucide-react'
import { useState } from 'react'
import { hostNameSchema } from '../../../../shared/model/host.ts'
import { useClient } from '../../../state/context.ts'
import { type QueryState, useCommandTo } from '../../../state/use-query.ts'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { useArrivalFocus } from '../../../ui/use-arrival-focus.ts'
import classes from './alias-list.module.css'

interface AliasListProps {
  aliases: QueryState<string[]>
  onCancel: () => void
  onAdded: (names: readonly string[]) => void
}

/** Aliases that aren't hosts yet, several at once. Address, user, port, keys and jumps stay in the file, read at every connect. */
export function AliasList({ aliases, onCancel, onAdded }: AliasListProps) {
  const client = useClient()
  const field = useArrivalFocus<HTMLInputElement>()
  const [search, setSearch] = useState('')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const add = useCommandTo(async (names: readonly string[]) => {
    for (const name of names) await client.hosts.add.mutate({ name, target: name })
    onAdded(names)
  })
  const all = aliases.value ?? []
  const shown = all.filter((alias) => alias.toLowerCase().includes(search.trim().toLowerCase()))
  if (aliases.error !== undefined) return <ErrorNotice error={aliases.error} onRetry={aliases.reload} />
  if (all.length === 0) {
    return <p className={classes.none}>~/.ssh/config names no host that isn’t in the list already. Add one by hand.</p>
  }
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault()
        if (chosen.length > 0) void add.run(chosen)
      }}
    >
      <TextInput
        ref={field}
        data-autofocus
        leftSection={<Search size={14} aria-hidden />}
        aria-label="Search aliases"
        placeholder="Search"
        maxLength={100}
        value={search}
        onChange={(event) => {
          setSearch(event.currentTarget.value)
        }}
      />
      <Checkbox.Group value={[...chosen]} onChange={setChosen} aria-label="Aliases of ~/.ssh/config" className={classes.list}>
        {shown.map((alias) => (
          <Checkbox
            key={alias}
            value={alias}
            label={alias}
            className={classes.item}
            disabled={!hostNameSchema.safeParse(alias).success}
            description={
              hostNameSchema.safeParse(alias).success
                ? undefined
                : 'This alias has characters a host name can’t have; add it by hand.'
            }
          />
        ))}
        {shown.length === 0 && <p className={classes.none}>No alias has “{search}” in it.</p>}
      </Checkbox.Group>
      <p className={classes.note}>
        Address, user, port, keys and jump hosts stay in the file; it is read at every connect and never changed.
      </p>
      {add.error !== undefined && <ErrorNotice error={add.error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" disabled={chosen.length === 0} loading={add.busy}>
          {chosen.length > 1 ? `Add ${String(chosen.length)} and connect` : 'Add and connect'}
        </Button>
      </Group>
    </form>
  )
}
