import { useCallback, useEffect, useState } from 'react'
import type { DoctorCheckView } from '../../../../shared/contract/hosts.ts'
import type { ErrorInfo } from '../../../../shared/model/error.ts'
import { useClient } from '../../../state/context.ts'
import { toErrorInfo } from '../../../state/errors.ts'

export interface DoctorState {
  checks: DoctorCheckView[]
  state: 'running' | 'done' | 'stopped' | 'failed'
  error?: ErrorInfo
}

/** Runs the doctor while the component is shown. */
export function useDoctor(name: string): DoctorState & { again: () => void; stop: () => void } {
  const client = useClient()
  const [round, setRound] = useState(0)
  const [doctor, setDoctor] = useState<DoctorState>({ checks: [], state: 'running' })
  const isStopped = doctor.state === 'stopped'
  useEffect(() => {
    if (isStopped) return
    setDoctor({ checks: [], state: 'running' })
    const subscription = client.hosts.doctor.subscribe(
      { name },
      {
        onData: (check) => {
          setDoctor((before) => ({ ...before, checks: [...before.checks, check] }))
        },
        onComplete: () => {
          setDoctor((before) => ({ ...before, state: before.state === 'running' ? 'done' : before.state }))
        },
        onError: (error) => {
          setDoctor((before) => ({ ...before, state: 'failed', error: toErrorInfo(error) }))
        },
        // After a reconnect the engine starts over.
        onStarted: () => {
          setDoctor((before) => ({ ...before, checks: [] }))
        },
      },
    )
    return () => {
      subscription.unsubscribe()
    }
  }, [client, name, round, isStopped])
  const again = useCallback(() => {
    setDoctor({ checks: [], state: 'running' })
    setRound((before) => before + 1)
  }, [])
  const stop = useCallback(() => {
    setDoctor((before) => ({ ...before, state: 'stopped' }))
  }, [])
  return { ...doctor, again, stop }
}
