import { Button } from '@mantine/core'
import { CircleAlert, KeyRound, TriangleAlert, Wrench } from 'lucide-react'
import type { Repair } from '../../../../shared/command/index.ts'
import type { CommandView } from '../../../../shared/contract/servers.ts'
import classes from './compose.module.css'

interface CommandMessagesProps {
  id: string
  isEmpty: boolean
  parsed: CommandView | undefined
  hasSecret: boolean
  isFull: boolean
  repairs: readonly Repair[]
  onRepair: (text: string) => void
}

/** What the engine says about the command, under its field. */
export function CommandMessages({ id, isEmpty, parsed, hasSecret, isFull, repairs, onRepair }: CommandMessagesProps) {
  return (
    <div id={id} className={classes.messages} aria-live="polite">
      {hasSecret && (
        <p data-level="warn">
          <KeyRound size={14} aria-hidden />
          There is a secret in the command. It moves to the environment when you leave the field; nobody on the host sees it
          there.
        </p>
      )}
      {isFull && (
        <p data-level="error">
          <CircleAlert size={14} aria-hidden />A command may have 20,000 characters; what is beyond was cut off.
        </p>
      )}
      {!isEmpty && parsed?.ok === false && (
        <p data-level="error">
          <CircleAlert size={14} aria-hidden />
          <span>
            Not a command that can be launched: {parsed.error ?? 'it was not understood'}. {parsed.nextStep}
          </span>
        </p>
      )}
      {!isEmpty &&
        parsed?.warnings.map((warning) => (
          <p key={warning} data-level="warn">
            <TriangleAlert size={14} aria-hidden />
            <span>{warning.charAt(0).toUpperCase() + warning.slice(1)}</span>
          </p>
        ))}
      {repairs.map(({ label, text }) => (
        <Button
          key={label}
          size="compact-sm"
          variant="default"
          className={classes.repair ?? ''}
          leftSection={<Wrench size={14} aria-hidden />}
          onClick={() => {
            onRepair(text)
          }}
        >
          {label}
        </Button>
      ))}
    </div>
  )
}
