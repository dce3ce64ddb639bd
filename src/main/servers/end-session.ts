import { SpeedgridError } from '../../shared/model/error.ts'
import type { ProcessIdentity } from '../../shared/model/server.ts'
import type { HostLink } from '../ssh/types.ts'
import type { Clock } from './clock.ts'
import { type SessionMember, type SessionView, signalMembers, viewSession } from './session.ts'

interface EndOptions {
  clock: Clock
  /** How long the main process may take to end everything itself after TERM. */
  leaderGraceMs: number
  /** After the leader is gone, and after TERM to the rest. */
  restGraceMs: number
  pollMs: number
  onEvent?: (text: string) => void
}

interface EndedSession {
  signalled: { pid: number; signal: string; command: string }[]
  left: SessionMember[]
  /** Every process of ours that was seen. */
  pids: number[]
  notes: string[]
}

const KILL_ROUNDS = 3

/**
 * Ends a server's session the gentle way (docs/vllm.md 6): TERM to the main process alone, wait; then TERM to what is left, wait; then KILL.
 * KILL first would leave orphans that hold GPU memory. Throws `conflict` where the state file belongs to another machine.
 */
export async function endSession(
  link: HostLink,
  id: string,
  identity: ProcessIdentity,
  options: EndOptions,
): Promise<EndedSession> {
  const { clock, pollMs, onEvent = () => undefined } = options
  const signalled: EndedSession['signalled'] = []
  const pids = new Set<number>()

  const look = async (): Promise<SessionView> => {
    const view = await viewSession(link, id, identity)
    for (const { pid } of view.members) pids.add(pid)
    return view
  }
  const send = async (signal: 'TERM' | 'KILL', members: SessionMember[]) => {
    const sent = await signalMembers(link, id, identity, signal, members)
    for (const { pid, command } of sent) {
      signalled.push({ pid, signal, command })
      onEvent(`${signal} sent to ${String(pid)} (${command})`)
    }
  }
  /** Looks until nothing is left or the time is over. `leaderGoneMs` shortens the wait once the leader has ended. */
  const wait = async (forMs: number, leaderGoneMs: number): Promise<SessionView> => {
    let end = clock.nowMs() + forMs
    let leaderGone = false
    for (;;) {
      const view = await look()
      if (view.members.length === 0) return view
      if (view.state !== 'ours' && !leaderGone) {
        leaderGone = true
        end = Math.min(end, clock.nowMs() + leaderGoneMs)
      }
      if (clock.nowMs() >= end) return view
      await clock.sleep(pollMs)
    }
  }

  let view = await look()
  if (view.state === 'other_host') {
    throw new SpeedgridError('conflict', 'this server was started on another machine', {
      evidence: [view.evidence],
      nextStep: 'Stop it from the host it was started on.',
    })
  }
  if (view.state === 'ours') {
    await send(
      'TERM',
      view.members.filter(({ pid }) => pid === identity.pid),
    )
    view = await wait(options.leaderGraceMs, options.restGraceMs)
  }
  if (view.members.length > 0) {
    onEvent(`${String(view.members.length)} processes are left`)
    await send('TERM', view.members)
    view = await wait(options.restGraceMs, options.restGraceMs)
  }
  for (let round = 0; round < KILL_ROUNDS && view.members.length > 0; round += 1) {
    await send('KILL', view.members)
    view = await wait(options.restGraceMs, options.restGraceMs)
  }
  const notes = view.strangers.map(
    ({ pid, command }) =>
      `process ${String(pid)} (${command}) has the session number of the server but can't be shown to be ours: left alone`,
  )
  return { signalled, left: [...view.members, ...view.strangers], pids: [...pids], notes }
}
