import { UnstyledButton } from '@mantine/core'
import { redactWords } from '../../../../shared/secrets/index.ts'
import type { FlagUse } from '../../../../shared/command/index.ts'
import classes from './form.module.css'
import { RemoveButton } from './secret-fields.tsx'

interface OtherFlagsProps {
  uses: readonly FlagUse[]
  onFind: (use: FlagUse) => void
  onRemove: (use: FlagUse) => void
}

/** Flags without a field of their own: kept as they are written, in their order. */
export function OtherFlags({ uses, onFind, onRemove }: OtherFlagsProps) {
  return (
    <fieldset className={classes.group}>
      <legend className={classes.legend}>Other flags</legend>
      {uses.length === 0 && <p className={classes.help}>None. Any flag of vllm serve can be written into the command.</p>}
      {uses.map((use) => {
        const name = use.written.split('=')[0] ?? use.written
        const [, ...values] = redactWords([name, ...use.values])
        return (
          <div key={use.start} className={classes.row}>
            <UnstyledButton
              className={classes.other}
              title="Show it in the command"
              onClick={() => {
                onFind(use)
              }}
            >
              <code className={classes.flagName}>{name}</code>{' '}
              {values.length > 0 && <code className={classes.flagValue}>{values.join(' ')}</code>}
            </UnstyledButton>
            <RemoveButton
              label={`Remove ${name}`}
              onClick={() => {
                onRemove(use)
              }}
            />
          </div>
        )
      })}
    </fieldset>
  )
}
