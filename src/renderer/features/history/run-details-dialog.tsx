import { Button, Group, Stack, TagsInput, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { RunRow } from '../../../shared/contract/runs.ts'
import { countText } from '../../../shared/format/index.ts'
import { useClient } from '../../state/context.ts'
import { useCommandTo } from '../../state/use-query.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'

const MOST_NAME = 200
const MOST_NOTE = 20_000
const MOST_TAGS = 20
const MOST_TAG = 50

interface RunDetailsDialogProps {
  run: Pick<RunRow, 'id' | 'name' | 'tags' | 'note'>
  /** Tags that others have, to choose from. */
  knownTags: readonly string[]
  onClose: () => void
  onSaved?: () => void
}

/** Name, tags and note of a run. Only what was changed is written. */
export function RunDetailsDialog({ run, knownTags, onClose, onSaved }: RunDetailsDialogProps) {
  const client = useClient()
  const [name, setName] = useState(run.name)
  const [tags, setTags] = useState([...run.tags])
  const [note, setNote] = useState(run.note ?? '')
  const nameProblem = name.trim() === '' ? 'A name has at least one character.' : undefined
  const save = useCommandTo(async () => {
    const runId = run.id
    if (name.trim() !== run.name) await client.runs.rename.mutate({ runId, name: name.trim() })
    if (tags.join('\n') !== run.tags.join('\n')) await client.runs.tag.mutate({ runId, tags })
    if (note !== (run.note ?? '')) await client.runs.note.mutate({ runId, note })
    onSaved?.()
    onClose()
  })
  const submit = () => {
    if (nameProblem === undefined) void save.run(undefined)
  }
  return (
    <Dialog title="Name, tags and note" size="lg" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit()
        }}
      >
        <Stack gap="md">
          <TextInput
            label="Name"
            value={name}
            maxLength={MOST_NAME}
            error={nameProblem}
            onChange={(event) => {
              setName(event.currentTarget.value)
            }}
          />
          <TagsInput
            label="Tags"
            data-autofocus
            description={`Enter or a comma ends a tag. At most ${String(MOST_TAGS)} of ${String(MOST_TAG)} characters; ${String(tags.length)} now.`}
            data={knownTags.filter((tag) => !tags.includes(tag))}
            value={tags}
            maxTags={MOST_TAGS}
            maxLength={MOST_TAG}
            openOnFocus={false}
            splitChars={[',', ';']}
            onChange={(next) => {
              setTags(next.map((tag) => tag.trim()).filter((tag) => tag !== ''))
            }}
          />
          <Textarea
            label="Note"
            rows={7}
            resize="vertical"
            maxLength={MOST_NOTE}
            description={`What a colleague should know; it is in the report. ${countText(note.length)} of ${countText(MOST_NOTE)} characters.`}
            value={note}
            onChange={(event) => {
              setNote(event.currentTarget.value)
            }}
          />
          {save.error !== undefined && <ErrorNotice error={save.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.busy} disabled={nameProblem !== undefined}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
