import { Button, Tooltip } from '@mantine/core'
import type { RunState } from '../../../../shared/model/states.ts'
import { RUN_STATE_TEXTS } from '../run-texts.ts'
import classes from './table.module.css'

/** Sign and word; an interrupted run can be taken up from here. */
export function RunStateText({ state, onResume }: { state: RunState; onResume?: (() => void) | undefined }) {
  const { sign, word, meaning } = RUN_STATE_TEXTS[state]
  if (state === 'interrupted' && onResume !== undefined) {
    return (
      <Tooltip label={`${word}: ${meaning}`}>
        <Button size="compact-xs" variant="light" tabIndex={-1} onClick={onResume} leftSection={<span aria-hidden>{sign}</span>}>
          Resume
        </Button>
      </Tooltip>
    )
  }
  return (
    <Tooltip label={meaning}>
      <span className={classes.state} data-state={state}>
        <span className={classes.sign} aria-hidden>
          {sign}
        </span>
        {word}
      </span>
    </Tooltip>
  )
}
