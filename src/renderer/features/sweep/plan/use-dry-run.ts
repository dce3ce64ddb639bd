import { useCallback, useEffect, useRef, useState } from 'react'
import { useClient, useHosts } from '../../../state/context.ts'
import { askDryRun, type DryRunOutcome } from './dry-run.ts'
import type { SweepInput } from './plan-form.ts'

/** Long enough to type on, short enough to feel live. */
const WAIT_MS = 900

export interface DryRunState {
  busy: boolean
  outcome?: DryRunOutcome
  /** The plan that the outcome is about. */
  input?: SweepInput
  /** True while the outcome is about an older plan than the one on the screen. */
  stale: boolean
  ask: () => void
}

/**
 * Asks by itself a moment after a change, where that opens no connection and asks for no password; otherwise when told to.
 * An answer to an older plan is dropped.
 */
export function useDryRun(input: SweepInput | undefined): DryRunState {
  const client = useClient()
  const hosts = useHosts()
  const [state, setState] = useState<{ busy: boolean; outcome?: DryRunOutcome; input?: SweepInput }>({ busy: false })
  const round = useRef(0)
  const key = JSON.stringify(input)
  const latest = useRef(input)
  useEffect(() => {
    latest.current = input
  })
  const ask = useCallback(() => {
    const { current } = latest
    if (!current) return
    round.current += 1
    const mine = round.current
    setState((before) => ({ ...before, busy: true }))
    void askDryRun((asked) => client.sweeps.dryRun.mutate(asked), current).then((outcome) => {
      if (mine === round.current) setState({ busy: false, outcome, input: current })
    })
  }, [client])
  const host = input?.target.kind === 'server' ? input.target.host : undefined
  const isFree =
    host === undefined || hosts.value?.some((view) => view.host.name === host && view.connection === 'connected') === true
  useEffect(() => {
    if (key === undefined || !isFree) return undefined
    const timer = setTimeout(ask, WAIT_MS)
    return () => {
      clearTimeout(timer)
    }
  }, [key, isFree, ask])
  return { ...state, stale: state.input !== undefined && JSON.stringify(state.input) !== key, ask }
}
