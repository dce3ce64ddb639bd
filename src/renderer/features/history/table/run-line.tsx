import { Badge, Checkbox, TextInput, Tooltip } from '@mantine/core'
import { memo, type MouseEvent, useState } from 'react'
import type { RunRow } from '../../../../shared/contract/runs.ts'
import { durationText } from '../../../../shared/format/index.ts'
import { hrefOf } from '../../../app/routes.ts'
import { TimeText } from '../../../ui/time-text.tsx'
import type { RunActions } from '../run-actions.ts'
import { isGoing, tookSeconds } from '../run-texts.ts'
import type { ColumnId } from './columns.ts'
import { shortModel } from './filter-bar.tsx'
import { RowMenu } from './row-menu.tsx'
import { RunStateText } from './run-state-text.tsx'
import classes from './table.module.css'

export interface RunLineProps {
  run: RunRow
  index: number
  top: number
  columns: readonly ColumnId[]
  isFocus: boolean
  isSelected: boolean
  isBaseline: boolean
  isTrash: boolean
  isRenaming: boolean
  actions: RunActions
  onFocus: (index: number) => void
  onTick: (run: RunRow, isSelected: boolean) => void
  onRenaming: (runId: string | undefined) => void
  onDetails: (run: RunRow) => void
}

export const RunLine = memo(RunLineView, sameLine)

/** Handlers are made anew at every render and do the same. */
function sameLine(before: RunLineProps, after: RunLineProps): boolean {
  return (
    before.run === after.run &&
    before.index === after.index &&
    before.top === after.top &&
    before.columns.join() === after.columns.join() &&
    before.isFocus === after.isFocus &&
    before.isSelected === after.isSelected &&
    before.isBaseline === after.isBaseline &&
    before.isTrash === after.isTrash &&
    before.isRenaming === after.isRenaming
  )
}

function RunLineView(props: RunLineProps) {
  const { run, index, top, columns, isFocus, isSelected, isTrash, actions, onFocus, onTick } = props
  const open = (event: MouseEvent) => {
    if (!isTrash && event.target instanceof Element && event.target.closest('a, button, input, [role="menu"]') === null)
      actions.open(run)
  }
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      data-index={index}
      tabIndex={isFocus ? 0 : -1}
      className={classes.row}
      style={{ transform: `translateY(${String(top)}px)` }}
      onFocus={() => {
        onFocus(index)
      }}
      onDoubleClick={open}
    >
      <div role="gridcell" className={classes.tick}>
        <Checkbox
          aria-label={`Select ${run.name}`}
          checked={isSelected}
          tabIndex={-1}
          onChange={(event) => {
            onTick(run, event.currentTarget.checked)
          }}
        />
      </div>
      {columns.map((id) => (
        <div key={id} role="gridcell" className={classes.cell} data-column={id}>
          <CellOf id={id} {...props} />
        </div>
      ))}
      <div role="gridcell" className={classes.more}>
        <RowMenu {...props} />
      </div>
    </div>
  )
}

function CellOf(props: RunLineProps & { id: ColumnId }) {
  const { id, run, actions } = props
  switch (id) {
    case 'name':
      return <NameCell {...props} />
    case 'state':
      return (
        <RunStateText
          state={run.state}
          unwatched={run.unwatched}
          onResume={props.isTrash ? undefined : () => void actions.resume(run)}
        />
      )
    case 'model':
      return run.model === undefined ? '—' : <span title={run.model}>{shortModel(run.model)}</span>
    case 'host':
      return <span title={run.host}>{run.host ?? '—'}</span>
    case 'cells':
      return <CellsCell run={run} />
    case 'tags':
      return <TagsCell tags={run.tags} />
    case 'started':
      return <TimeText at={run.startedAt ?? run.createdAt} />
    case 'took':
      return durationText(tookSeconds(run))
    case 'note':
      return <span title={run.note}>{run.note ?? ''}</span>
  }
}

function NameCell({ run, isBaseline, isTrash, isRenaming, actions, onRenaming }: RunLineProps) {
  if (isRenaming)
    return (
      <RenameField
        name={run.name}
        onDone={(name) => {
          onRenaming(undefined)
          if (name !== '' && name !== run.name) void actions.rename(run, name)
        }}
      />
    )
  const href = hrefOf(isGoing(run.state) ? { screen: 'sweep', runId: run.id } : { screen: 'history', runId: run.id })
  return (
    <>
      {isTrash ? (
        <span className={classes.name}>{run.name}</span>
      ) : (
        <a className={classes.name} href={href} tabIndex={-1} title={run.name}>
          {run.name}
        </a>
      )}
      {run.demo && (
        <Tooltip label="Figures of the built-in demo machine, not of real hardware.">
          <Badge size="sm" className={classes.badge ?? ''}>
            Demo
          </Badge>
        </Tooltip>
      )}
      {isBaseline && (
        <Tooltip label="The run that others are compared with.">
          <Badge size="sm" color="blue" variant="light" className={classes.badge ?? ''}>
            Baseline
          </Badge>
        </Tooltip>
      )}
    </>
  )
}

const MOST_NAME = 200

function RenameField({ name, onDone }: { name: string; onDone: (name: string) => void }) {
  const [value, setValue] = useState(name)
  const isEmpty = value.trim() === ''
  return (
    <TextInput
      className={classes.rename ?? ''}
      autoFocus
      size="xs"
      aria-label={`New name of ${name}`}
      maxLength={MOST_NAME}
      value={value}
      error={isEmpty}
      title={isEmpty ? 'A name has at least one character; Esc keeps the old one.' : 'Enter keeps it, Esc leaves.'}
      onFocus={(event) => {
        event.currentTarget.select()
      }}
      onChange={(event) => {
        setValue(event.currentTarget.value)
      }}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key === 'Enter' && !isEmpty) onDone(value.trim())
        if (event.key === 'Escape') onDone(name)
      }}
      onBlur={() => {
        onDone(value.trim())
      }}
    />
  )
}

function CellsCell({ run }: { run: RunRow }) {
  const { cellsDone, cellsTotal } = run
  const share = cellsTotal === 0 ? 0 : Math.min(1, cellsDone / cellsTotal)
  return (
    <span className={classes.cells}>
      <span>{cellsDone === cellsTotal ? cellsTotal : `${String(cellsDone)} / ${String(cellsTotal)}`}</span>
      {share < 1 && (
        <span className={classes.share} aria-hidden>
          <span style={{ width: `${String(share * 100)}%` }} />
        </span>
      )}
    </span>
  )
}

function TagsCell({ tags }: { tags: readonly string[] }) {
  return (
    <span className={classes.tags} title={tags.join(', ')}>
      {tags.map((tag) => (
        <span key={tag} className={classes.tag}>
          {tag}
        </span>
      ))}
    </span>
  )
}
