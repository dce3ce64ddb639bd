import { Button, Popover, Stack, TextInput } from '@mantine/core'
import { Bookmark } from 'lucide-react'
import { type Dispatch, useState } from 'react'
import type { SavedLaunch } from '../../../../shared/contract/servers.ts'
import { useClient } from '../../../state/context.ts'
import { useCommandTo } from '../../../state/use-query.ts'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { showDone } from '../../../ui/toasts.tsx'
import { readCommand, withRedacted } from '../../../../shared/command/index.ts'
import { commandToRead, type Draft, type DraftAction } from '../compose/draft.ts'

const MOST_NAME = 100

/** What is saved of a draft: never a secret, only that there is one. */
const savedCommand = (draft: Draft): string => {
  const { text, secrets } = commandToRead(draft)
  return withRedacted(text, secrets)
}

const isChanged = (draft: Draft): boolean =>
  draft.saved === undefined || draft.saved.command !== savedCommand(draft) || draft.saved.environment !== draft.environment

interface SaveButtonProps {
  draft: Draft
  dispatch: Dispatch<DraftAction>
  taken: readonly SavedLaunch[]
  onSaved: () => void
}

export function SaveButton({ draft, dispatch, taken, onSaved }: SaveButtonProps) {
  const client = useClient()
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState('')
  const isEmpty = draft.text.trim() === ''
  const { environment, saved } = draft
  const save = useCommandTo(async (input: { id?: string; name: string }) => {
    dispatch({ kind: 'takeSecrets' })
    const kept = await client.servers.saveLaunch.mutate({
      ...input,
      ...commandToRead(draft),
      ...(environment === undefined ? {} : { environment }),
    })
    dispatch({ kind: 'saved', saved: { id: kept.id, name: kept.name, command: kept.command, environment: kept.environment } })
    setOpen(false)
    showDone(`Saved ${kept.name}`)
    onSaved()
  })
  const problem =
    name.trim() === ''
      ? 'A name has at least one character.'
      : taken.some((launch) => launch.name === name.trim())
        ? 'There is one of that name already.'
        : undefined
  const open = () => {
    setName(suggestedName(draft))
    save.clear()
    setOpen(true)
  }
  return (
    <>
      {saved !== undefined && isChanged(draft) && (
        <Button
          variant="default"
          loading={save.busy && !isOpen}
          onClick={() => void save.run({ id: saved.id, name: saved.name })}
          title={`Overwrites “${saved.name}”`}
        >
          Save changes
        </Button>
      )}
      <Popover opened={isOpen} onChange={setOpen} position="bottom-end" width={340} trapFocus returnFocus>
        <Popover.Target>
          <Button variant="default" leftSection={<Bookmark size={14} aria-hidden />} disabled={isEmpty} onClick={open}>
            {saved === undefined ? 'Save' : 'Save as'}
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          <form
            onSubmit={(event) => {
              event.preventDefault()
              if (problem === undefined) void save.run({ name: name.trim() })
            }}
          >
            <Stack gap="sm">
              <TextInput
                label="Name"
                data-autofocus
                value={name}
                maxLength={MOST_NAME}
                error={problem}
                description={
                  draft.secrets.length > 0 ? 'Secrets are left out; they are asked for when it is used again.' : undefined
                }
                onChange={(event) => {
                  setName(event.currentTarget.value)
                }}
              />
              {save.error !== undefined && <ErrorNotice error={save.error} />}
              <Button type="submit" loading={save.busy} disabled={problem !== undefined}>
                Save
              </Button>
            </Stack>
          </form>
        </Popover.Dropdown>
      </Popover>
    </>
  )
}

function suggestedName({ text, saved }: Draft): string {
  if (saved !== undefined) return `${saved.name} (2)`.slice(0, MOST_NAME)
  const model = readCommand(text).model?.value
  return (model?.split('/').findLast((part) => part !== '') ?? '').slice(0, MOST_NAME)
}
