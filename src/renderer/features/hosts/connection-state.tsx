import { Loader } from '@mantine/core'
import type { HostConnection } from '../../../shared/contract/hosts.ts'
import classes from './connection-state.module.css'

const WORDS: Record<HostConnection, string> = {
  never: 'Not connected yet',
  connecting: 'Connecting…',
  connected: 'Connected',
  reconnecting: 'Reconnecting…',
  closed: 'Not connected',
  failed: 'Failed',
}
/** Told apart by shape too. */
const SIGNS: Record<HostConnection, string> = {
  never: '○',
  connecting: '',
  connected: '●',
  reconnecting: '',
  closed: '○',
  failed: '✕',
}

export function ConnectionStateText({ connection }: { connection: HostConnection }) {
  const isBusy = connection === 'connecting' || connection === 'reconnecting'
  return (
    <span className={classes.state} data-connection={connection}>
      {isBusy ? <Loader size={11} color="currentColor" aria-hidden /> : <span aria-hidden>{SIGNS[connection]}</span>}
      {WORDS[connection]}
    </span>
  )
}
