import { ActionIcon, Menu, TextInput, UnstyledButton } from '@mantine/core'
import { Ellipsis, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { SavedLaunch } from '../../../../shared/contract/servers.ts'
import { useClient } from '../../../state/context.ts'
import type { QueryState } from '../../../state/use-query.ts'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { Loading } from '../../../ui/loading.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { confirmlessUndo, showProblem } from '../../../ui/toasts.tsx'
import composeClasses from '../compose/compose.module.css'
import classes from './side.module.css'

interface SavedLaunchesProps {
  saved: QueryState<SavedLaunch[]>
  /** Id of the one that is open in the editor. */
  openId: string | undefined
  onOpen: (launch: SavedLaunch) => void
}

const MOST_NAME = 100

/** Last used first. */
const inOrder = (list: readonly SavedLaunch[]): SavedLaunch[] =>
  [...list].sort((a, b) => (b.lastUsedAt ?? '').localeCompare(a.lastUsedAt ?? '') || a.name.localeCompare(b.name))

export function SavedLaunches({ saved, openId, onOpen }: SavedLaunchesProps) {
  const list = saved.value
  return (
    <Panel title="Saved launches" padding="none" fill className={composeClasses.saved}>
      {list === undefined && saved.error === undefined && <Loading what="saved launches" />}
      {list === undefined && saved.error !== undefined && (
        <div className={classes.pad}>
          <ErrorNotice error={saved.error} onRetry={saved.reload} />
        </div>
      )}
      {list?.length === 0 && (
        <p className={classes.none}>None yet. Write a command, then press Save: it is here for the next time, on any host.</p>
      )}
      {list !== undefined && list.length > 0 && (
        <ul className={classes.list}>
          {inOrder(list).map((launch) => (
            <SavedRow
              key={launch.id}
              launch={launch}
              isOpen={launch.id === openId}
              onOpen={() => {
                onOpen(launch)
              }}
              onChanged={saved.reload}
            />
          ))}
        </ul>
      )}
    </Panel>
  )
}

interface SavedRowProps {
  launch: SavedLaunch
  isOpen: boolean
  onOpen: () => void
  onChanged: () => void
}

function SavedRow({ launch, isOpen, onOpen, onChanged }: SavedRowProps) {
  const client = useClient()
  const [isRenaming, setRenaming] = useState(false)
  const { id, name, command, environment, lastUsedAt } = launch
  const part = { name, text: command, secrets: [], ...(environment === undefined ? {} : { environment }) }
  const rename = async (next: string) => {
    setRenaming(false)
    if (next === '' || next === name) return
    try {
      await client.servers.saveLaunch.mutate({ ...part, id, name: next })
      onChanged()
    } catch (error) {
      showProblem(error)
    }
  }
  const remove = async () => {
    await confirmlessUndo({
      text: `Removed ${name}`,
      act: () => client.servers.removeLaunch.mutate({ id }),
      undo: async () => {
        await client.servers.saveLaunch.mutate(part)
        onChanged()
      },
    })
    onChanged()
  }
  if (isRenaming) return <RenameField name={name} onDone={(next) => void rename(next)} />
  return (
    <li className={classes.item} data-open={isOpen || undefined}>
      <UnstyledButton className={classes.open} onClick={onOpen} aria-current={isOpen || undefined}>
        <span className={classes.name} title={name}>
          {name}
        </span>
        <span className={classes.second}>
          {lastUsedAt === undefined ? (
            'not used yet'
          ) : (
            <>
              used <TimeText at={lastUsedAt} />
            </>
          )}
        </span>
      </UnstyledButton>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" size={26} aria-label={`More for ${name}`}>
            <Ellipsis size={15} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<Pencil size={14} aria-hidden />}
            onClick={() => {
              setRenaming(true)
            }}
          >
            Rename
          </Menu.Item>
          <Menu.Item leftSection={<Trash2 size={14} aria-hidden />} onClick={() => void remove()}>
            Remove
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </li>
  )
}

function RenameField({ name, onDone }: { name: string; onDone: (next: string) => void }) {
  const [value, setValue] = useState(name)
  return (
    <li className={classes.rename}>
      <TextInput
        autoFocus
        aria-label={`New name of ${name}`}
        value={value}
        maxLength={MOST_NAME}
        error={value.trim() === '' ? 'A name has at least one character.' : undefined}
        onFocus={(event) => {
          event.currentTarget.select()
        }}
        onChange={(event) => {
          setValue(event.currentTarget.value)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onDone(value.trim())
          if (event.key === 'Escape') onDone(name)
        }}
        onBlur={() => {
          onDone(value.trim())
        }}
      />
    </li>
  )
}
