import { useEffect, useEffectEvent, useState } from 'react'
import type { ErrorInfo } from '../../../../shared/model/error.ts'
import { useClient } from '../../../state/context.ts'
import { toErrorInfo } from '../../../state/errors.ts'
import { createAnsiFilter } from '../../../../shared/format/index.ts'
import { createLogJoiner } from './log-joiner.ts'

export interface LogState {
  status: 'waiting' | 'live' | 'reconnecting' | 'ended' | 'failed'
  error?: ErrorInfo
  /** Asks again after an end or a failure. */
  retry: () => void
}

/** What is read of an old log at first. */
const TAIL_BYTES = 4 * 1024 * 1024
/** A tail that brings nothing known within this time is shown as it is. */
const SETTLE_MS = 3000

/** Follows a server's log; `onText` gets each piece once, already safe for a terminal. */
export function useLog({ host, server }: { host: string; server: string }, onText: (text: string) => void): LogState {
  const client = useClient()
  const [round, setRound] = useState(0)
  const [state, setState] = useState<Omit<LogState, 'retry'>>({ status: 'waiting' })
  const [joiner] = useState(() => createLogJoiner())
  const show = useEffectEvent((text: string) => {
    if (text !== '') onText(text)
  })
  useEffect(() => {
    const filter = createAnsiFilter()
    let settling: ReturnType<typeof setTimeout> | undefined
    const settle = () => {
      show(filter(joiner.settle()))
    }
    // The first reading of this page, or one more after an end: what is known already is not shown twice.
    joiner.restart()
    const reading = client.servers.log.subscribe(
      { host, server, tailBytes: TAIL_BYTES },
      {
        onData: ({ text }) => {
          setState((before) => (before.status === 'live' ? before : { status: 'live' }))
          show(filter(joiner.push(text)))
          clearTimeout(settling)
          settling = setTimeout(settle, SETTLE_MS)
        },
        onError: (error) => {
          setState({ status: 'failed', error: toErrorInfo(error) })
        },
        onComplete: () => {
          settle()
          setState({ status: 'ended' })
        },
        onConnectionStateChange: ({ state: way }) => {
          // The engine gone: tRPC asks again by itself, and the tail comes once more.
          if (way !== 'connecting') return
          joiner.restart()
          setState((before) => (before.status === 'live' ? { status: 'reconnecting' } : before))
        },
      },
    )
    return () => {
      clearTimeout(settling)
      reading.unsubscribe()
    }
  }, [client, host, server, round, joiner])
  return {
    ...state,
    retry: () => {
      setState({ status: 'waiting' })
      setRound((before) => before + 1)
    },
  }
}
