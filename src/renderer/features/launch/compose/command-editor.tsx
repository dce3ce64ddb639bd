import { type KeyboardEvent, type RefObject, useMemo } from 'react'
import { paintCommand } from '../command/paint.ts'
import classes from './editor.module.css'

interface CommandEditorProps {
  text: string
  fieldRef: RefObject<HTMLTextAreaElement | null>
  describedBy: string
  isInvalid: boolean
  onType: (text: string) => void
  /** The field was left, or something was pasted: secrets can leave the text. */
  onSettle: () => void
  onUndo: () => void
  onRedo: () => void
}

export const MOST_CHARS = 20_000

/** A text field over a painted copy of its text: colours, and dots where secrets stand. */
export function CommandEditor({ text, fieldRef, describedBy, isInvalid, ...on }: CommandEditorProps) {
  const parts = useMemo(() => paintCommand(text), [text])
  const onKeyDown = (event: KeyboardEvent) => {
    const isUndo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z'
    const isRedo = (isUndo && event.shiftKey) || (event.ctrlKey && event.key.toLowerCase() === 'y')
    if (!isUndo && !isRedo) return
    event.preventDefault()
    if (isRedo) on.onRedo()
    else on.onUndo()
  }
  return (
    <div className={classes.scroll}>
      <div className={classes.editor}>
        <pre className={classes.paint} aria-hidden>
          {parts.map((part) => (
            <span key={part.start} data-kind={part.kind}>
              {part.text}
            </span>
          ))}
          {'\n'}
        </pre>
        <textarea
          ref={fieldRef}
          className={classes.field}
          value={text}
          maxLength={MOST_CHARS}
          spellCheck={false}
          autoCapitalize="off"
          autoCorrect="off"
          autoComplete="off"
          aria-label="Launch command"
          aria-describedby={describedBy}
          aria-invalid={isInvalid}
          placeholder={
            'Paste a command a colleague sent, or fill in the form.\n\nvllm serve Qwen/Qwen3.5-27B-FP8 \\\n  --max-model-len 256K'
          }
          onChange={(event) => {
            on.onType(event.currentTarget.value)
          }}
          onPaste={() => {
            setTimeout(on.onSettle, 0)
          }}
          onBlur={on.onSettle}
          onKeyDown={onKeyDown}
        />
      </div>
    </div>
  )
}
