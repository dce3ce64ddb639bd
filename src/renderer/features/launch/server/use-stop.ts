import { useState } from 'react'
import type { ServerView, StopView } from '../../../../shared/contract/servers.ts'
import type { ErrorInfo } from '../../../../shared/model/error.ts'
import { toErrorInfo } from '../../../state/errors.ts'

interface Stop {
  busy: boolean
  error?: ErrorInfo
  report?: StopView
  /** The server as it was when it was stopped: the list doesn't have it any more. */
  lastView?: ServerView
  run(view: ServerView, act: () => Promise<StopView>, after: () => void): Promise<void>
  clear: () => void
}

/** Stopping a server and what it proved; kept while the page of the server is shown. */
export function useStop(_server: { host: string; id: string }): Stop {
  const [state, setState] = useState<Pick<Stop, 'busy' | 'error' | 'report' | 'lastView'>>({ busy: false })
  return {
    ...state,
    run: async (view, act, after) => {
      setState({ busy: true, lastView: view })
      try {
        setState({ busy: false, lastView: view, report: await act() })
      } catch (error) {
        setState({ busy: false, lastView: view, error: toErrorInfo(error) })
      }
      after()
    },
    clear: () => {
      setState({ busy: false })
    },
  }
}
