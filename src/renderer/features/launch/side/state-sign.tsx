import { Loader, Tooltip } from '@mantine/core'
import type { LaunchView } from '../../../../shared/contract/servers.ts'
import type { ServerState } from '../../../../shared/model/server.ts'
import classes from './side.module.css'

interface Sign {
  /** Empty: something is going on. */
  sign: string
  word: string
  tone: 'good' | 'bad' | 'warn' | 'plain' | 'busy'
}

export const SERVER_SIGNS: Record<ServerState, Sign> = {
  starting: { sign: '', word: 'Starting', tone: 'busy' },
  ready: { sign: '●', word: 'Ready', tone: 'good' },
  failed: { sign: '!', word: 'Failed', tone: 'bad' },
  stopping: { sign: '', word: 'Stopping', tone: 'busy' },
  stopped: { sign: '■', word: 'Stopped', tone: 'plain' },
  gone: { sign: '○', word: 'Gone', tone: 'warn' },
}

export const LAUNCH_SIGNS: Record<LaunchView['state'], Sign> = {
  starting: { sign: '', word: 'Starting', tone: 'busy' },
  ready: { sign: '●', word: 'Ready', tone: 'good' },
  failed: { sign: '!', word: 'Failed', tone: 'bad' },
  cancelled: { sign: '×', word: 'Cancelled', tone: 'plain' },
}

/** Told apart by shape and word, not by colour alone. */
export function StateSign({ sign, word, tone, withWord = false }: Sign & { withWord?: boolean }) {
  return (
    <Tooltip label={word} disabled={withWord}>
      <span className={classes.sign} data-tone={tone}>
        {sign === '' ? <Loader size={11} color="currentColor" aria-hidden /> : <span aria-hidden>{sign}</span>}
        {withWord ? <span>{word}</span> : <span className="visually-hidden">{word}: </span>}
      </span>
    </Tooltip>
  )
}
