import { Loader } from '@mantine/core'
import { useEffect, useState } from 'react'
import { clockText } from '../../shared/format/index.ts'
import { useConnection } from '../state/context.ts'
import classes from './connection-banner.module.css'
import { useSessionGone } from './use-session-gone.ts'

/** Short breaks (a restart of the engine takes a moment) don't flash. */
const PATIENCE_MS = 400

export function ConnectionBanner() {
  const { state, since } = useConnection()
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (state === 'up') return
    const ticking = setInterval(() => {
      setNow(Date.now())
    }, 250)
    return () => {
      clearInterval(ticking)
    }
  }, [state])
  const isAnother = useSessionGone(state === 'gone')
  const isShown = state !== 'up' && now - since > PATIENCE_MS
  return (
    <div role="status" aria-live="polite">
      {isShown && (
        <div className={classes.banner}>
          <Loader size={14} color="currentColor" aria-hidden />
          <strong>
            {isAnother ? 'The engine was started anew' : state === 'gone' ? 'The engine is gone' : 'Waiting for the engine'}
          </strong>
          <span>
            {isAnother
              ? 'Open the link it printed (or run speedgrid serve for another one) in this browser; this page then goes on.'
              : state === 'gone'
                ? 'Reconnecting. What you see is the last that was known; sweeps on hosts go on by themselves.'
                : 'It is starting.'}
          </span>
          <span className={classes.clock}>{clockText((now - since) / 1000)}</span>
        </div>
      )}
    </div>
  )
}
