import { ActionIcon, Tooltip } from '@mantine/core'
import { RotateCw } from 'lucide-react'
import type { RunRow } from '../../../../shared/contract/runs.ts'
import type { RunState } from '../../../../shared/model/states.ts'
import { RUN_STATE_TEXTS, unwatchedTexts } from '../run-texts.ts'
import classes from './table.module.css'

/** Sign and word; an interrupted run can be taken up from here. */
export function RunStateText({
  state,
  unwatched,
  onResume,
}: {
  state: RunState
  unwatched?: RunRow['unwatched']
  onResume?: (() => void) | undefined
}) {
  const { sign, word, meaning } = unwatched === undefined ? RUN_STATE_TEXTS[state] : unwatchedTexts(state, unwatched)
  const text = (
    <Tooltip label={meaning}>
      <span className={classes.state} data-state={state}>
        <span className={classes.sign} aria-hidden>
          {sign}
        </span>
        {word}
      </span>
    </Tooltip>
  )
  if (state !== 'interrupted' || onResume === undefined) return text
  return (
    <span className={classes.resumable}>
      {text}
      <Tooltip label="Resume: measure what is missing">
        <ActionIcon variant="subtle" size={24} tabIndex={-1} aria-label="Resume" onClick={onResume}>
          <RotateCw size={14} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </span>
  )
}
