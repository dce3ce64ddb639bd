import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import type { ErrorInfo } from '../../shared/model/error.ts'
import { toErrorInfo } from '../state/errors.ts'
import { ErrorNotice } from './error-notice.tsx'
import classes from './toasts.module.css'

const SHORT_MS = 2500
/** Long enough to read, to find the button by keyboard, and to press it. */
const UNDO_MS = 12_000

export function showDone(text: string) {
  notifications.show({ message: text, autoClose: SHORT_MS, withBorder: true })
}

/** Something happened by itself that the person has to know. */
export function showNote(text: string) {
  notifications.show({ message: text, autoClose: UNDO_MS, withBorder: true })
}

/** An error that belongs to no place on the screen. It stays until it is dismissed. */
export function showProblem(problem: unknown) {
  const error = isInfo(problem) ? problem : toErrorInfo(problem)
  const id = notifications.show({
    message: <ErrorNotice error={error} onClose={() => notifications.hide(id)} />,
    autoClose: false,
    withCloseButton: false,
    className: classes.problem,
  })
}

const isInfo = (it: unknown): it is ErrorInfo =>
  typeof it === 'object' && it !== null && !(it instanceof Error) && 'code' in it && 'cause' in it

interface UndoInput {
  /** What has been done: "Removed lab-1". */
  text: string
  /** Undo is offered only after this has succeeded. */
  act: () => Promise<unknown>
  undo: () => Promise<unknown>
}

/** Does it at once and offers to take it back: undo instead of "are you sure". Resolves to false when it failed. */
export async function confirmlessUndo({ text, act, undo }: UndoInput): Promise<boolean> {
  try {
    await act()
  } catch (error) {
    showProblem(error)
    return false
  }
  const takeBack = async () => {
    notifications.hide(id)
    try {
      await undo()
    } catch (error) {
      showProblem(error)
    }
  }
  const id = notifications.show({
    message: (
      <span className={classes.undo}>
        <span className={classes.text}>{text}</span>
        <Button size="compact-sm" variant="default" onClick={() => void takeBack()}>
          Undo
        </Button>
      </span>
    ),
    autoClose: UNDO_MS,
    withBorder: true,
  })
  return true
}
