import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { Redo2, Undo2, WandSparkles } from 'lucide-react'
import { type Dispatch, type RefObject, useId } from 'react'
import type { CommandView } from '../../../../shared/contract/servers.ts'
import type { ErrorInfo } from '../../../../shared/model/error.ts'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { type Repair, takeSecrets, tidy } from '../../../../shared/command/index.ts'
import { CommandEditor, MOST_CHARS } from './command-editor.tsx'
import { CommandMessages } from './command-messages.tsx'
import classes from './compose.module.css'
import type { DraftAction, DraftState } from './draft.ts'
import { ExactCommand } from './exact-command.tsx'

interface CommandPanelProps {
  state: DraftState
  dispatch: Dispatch<DraftAction>
  parsed: CommandView | undefined
  repairs: readonly Repair[]
  fieldRef: RefObject<HTMLTextAreaElement | null>
  error: ErrorInfo | undefined
  onDismiss: () => void
}

export function CommandPanel({ state, dispatch, parsed, repairs, fieldRef, error, onDismiss }: CommandPanelProps) {
  const { draft, past, future } = state
  const messagesId = useId()
  const isFull = draft.text.length >= MOST_CHARS
  return (
    <Panel
      title="Command"
      padding="none"
      className={classes.command}
      actions={
        <>
          <Tool label="Undo" disabled={past.length === 0} icon={<Undo2 size={15} />} onClick={() => dispatch({ kind: 'undo' })} />
          <Tool
            label="Redo"
            disabled={future.length === 0}
            icon={<Redo2 size={15} />}
            onClick={() => dispatch({ kind: 'redo' })}
          />
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            className={classes.tool ?? ''}
            leftSection={<WandSparkles size={14} aria-hidden />}
            disabled={tidy(draft.text) === draft.text}
            onClick={() => {
              dispatch({ kind: 'edit', change: { text: tidy(draft.text) } })
            }}
          >
            Tidy
          </Button>
        </>
      }
    >
      {error !== undefined && (
        <div className={classes.notice}>
          <ErrorNotice error={error} onClose={onDismiss} />
        </div>
      )}
      <CommandEditor
        text={draft.text}
        fieldRef={fieldRef}
        describedBy={messagesId}
        isInvalid={draft.text.trim() !== '' && parsed?.ok === false}
        onType={(text) => {
          dispatch({ kind: 'type', text, at: Date.now() })
        }}
        onSettle={() => {
          dispatch({ kind: 'takeSecrets' })
        }}
        onUndo={() => {
          dispatch({ kind: 'undo' })
        }}
        onRedo={() => {
          dispatch({ kind: 'redo' })
        }}
      />
      <CommandMessages
        id={messagesId}
        isEmpty={draft.text.trim() === ''}
        parsed={parsed}
        hasSecret={takeSecrets(draft.text).secrets.some(({ value }) => value !== '')}
        isFull={isFull}
        repairs={repairs}
        onRepair={(text) => {
          dispatch({ kind: 'edit', change: { text } })
        }}
      />
      <ExactCommand draft={draft} />
    </Panel>
  )
}

interface ToolProps {
  label: string
  icon: React.ReactNode
  disabled: boolean
  onClick: () => void
}

function Tool({ label, icon, disabled, onClick }: ToolProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={26}
        className={classes.tool ?? ''}
        aria-label={label}
        disabled={disabled}
        onClick={onClick}
      >
        {icon}
      </ActionIcon>
    </Tooltip>
  )
}
