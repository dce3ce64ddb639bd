import { useCallback, useEffect, useRef, useState } from 'react'
import type { ErrorInfo } from '../../shared/model/error.ts'
import { toErrorInfo } from './errors.ts'

export interface QueryState<Value> {
  status: 'loading' | 'ready' | 'failed'
  value?: Value
  error?: ErrorInfo
  /** Asks again; the old value stays until the new one is there. */
  reload: () => void
}

/** One question to the engine. Asked again when `key` changes; answers to an older key are dropped. */
export function useQuery<Value>(key: string, ask: (signal: AbortSignal) => Promise<Value>): QueryState<Value> {
  const [state, setState] = useState<Omit<QueryState<Value>, 'reload'> & { key: string }>({ key, status: 'loading' })
  const [round, setRound] = useState(0)
  const latest = useRef(ask)
  useEffect(() => {
    latest.current = ask
  })
  useEffect(() => {
    const leaving = new AbortController()
    latest.current(leaving.signal).then(
      (value) => {
        if (!leaving.signal.aborted) setState({ key, status: 'ready', value })
      },
      (error: unknown) => {
        if (!leaving.signal.aborted)
          setState((before) => ({ ...(before.key === key ? before : {}), key, status: 'failed', error: toErrorInfo(error) }))
      },
    )
    return () => {
      leaving.abort()
    }
  }, [key, round])
  const reload = useCallback(() => {
    setRound((before) => before + 1)
  }, [])
  return state.key === key ? { ...state, reload } : { status: 'loading', reload }
}

interface CommandState<Input> {
  busy: boolean
  error?: ErrorInfo
  /** Resolves to true when the engine has done it. */
  run: (input: Input) => Promise<boolean>
  clear: () => void
}

/** A command to the engine with its progress and its error, for a button or a form. */
export function useCommandTo<Input>(act: (input: Input) => Promise<unknown>): CommandState<Input> {
  const [state, setState] = useState<{ busy: boolean; error?: ErrorInfo }>({ busy: false })
  const run = async (input: Input) => {
    setState({ busy: true })
    try {
      await act(input)
      setState({ busy: false })
      return true
    } catch (error) {
      setState({ busy: false, error: toErrorInfo(error) })
      return false
    }
  }
  const clear = useCallback(() => {
    setState({ busy: false })
  }, [])
  return { ...state, run, clear }
}
