import { Button } from '@mantine/core'
import { ArchiveRestore, RotateCw, Trash2, X } from 'lucide-react'
import type { RunRow } from '../../../shared/contract/runs.ts'
import { countText } from '../../../shared/format/index.ts'
import classes from './history.module.css'
import type { RunActions } from './run-actions.ts'
import { isGoing } from './run-texts.ts'

interface SelectionBarProps {
  selected: readonly RunRow[]
  isTrash: boolean
  actions: RunActions
  onClear: () => void
}

/** What can be done with several runs at once. */
export function SelectionBar({ selected, isTrash, actions, onClear }: SelectionBarProps) {
  const [first] = selected
  if (first === undefined) return null
  const isStill = selected.some((run) => isGoing(run.state))
  return (
    <div className={classes.selection} role="toolbar" aria-label="Selected runs">
      <strong>{countText(selected.length)} selected</strong>
      {isTrash ? (
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<ArchiveRestore size={14} aria-hidden />}
          onClick={() => void actions.restore(selected).then(onClear)}
        >
          Put back
        </Button>
      ) : (
        <>
          {selected.length === 1 && first.state === 'interrupted' && (
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<RotateCw size={14} aria-hidden />}
              onClick={() => void actions.resume(first)}
            >
              Resume
            </Button>
          )}
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<Trash2 size={14} aria-hidden />}
            disabled={isStill}
            title={isStill ? 'A run that is going on can’t be in the trash.' : undefined}
            onClick={() => void actions.trash(selected).then(onClear)}
          >
            Move to the trash
          </Button>
        </>
      )}
      <Button size="compact-sm" variant="subtle" color="gray" leftSection={<X size={14} aria-hidden />} onClick={onClear}>
        Clear
      </Button>
    </div>
  )
}
