import type { HostLink } from '../ssh/types.ts'
import { get } from './http.ts'
import { viewListener } from './listener.ts'
import { type SessionView, viewSession } from './session.ts'
import type { StoredServer } from './state-file.ts'
import type { ServerStatus } from './types.ts'

/** A server's state as it is now; undefined for one that belongs to another machine (same home folder over NFS). */
export async function readStatus(link: HostLink, { state }: StoredServer): Promise<ServerStatus | undefined> {
  const { server, readyAt } = state
  const view =
    server.identity === undefined ? undefined : await viewSession(link, server.adopted ? undefined : server.id, server.identity)
  if (view?.state === 'other_host') return undefined
  if (view === undefined && !server.adopted) return { server, state: 'gone', evidence: 'it was never started' }
  if (view !== undefined && view.state !== 'ours') {
    // What else runs in the session of somebody else's server is theirs, down to their shell: stop leaves it alone.
    return { server, ...describeGone(server.adopted ? { ...view, members: [] } : view) }
  }
  const evidence = view?.evidence ?? `port ${String(server.port)}`
  const listener = await viewListener(link, server)
  if (listener.state === 'other') {
    const why = `port ${String(server.port)} is listened on by ${listener.who ?? 'somebody else'}, not by this server`
    return { server, state: 'failed', health: 'refused', evidence: `${evidence}, but ${why}` }
  }
  const answer = await get(link, server, '/health', { timeoutMs: 5_000 })
  if (answer.state === 'answered' && answer.status === 200) {
    return { server, state: 'ready', health: 'ok', evidence: `${evidence}, /health answers 200` }
  }
  if (answer.state === 'answered' && answer.status === 404 && server.adopted) {
    // Not every server has that route; it answered when it was adopted and answers now, and the driver judges the rest.
    return { server, state: 'ready', evidence: `${evidence} answers; there is no /health` }
  }
  if (answer.state === 'answered') {
    return { server, state: 'failed', health: 'unhealthy', evidence: `${evidence}, /health answers ${String(answer.status)}` }
  }
  if (view === undefined) return { server, state: 'gone', health: 'refused', evidence: `${evidence}: ${answer.reason}` }
  const wasReady = readyAt !== undefined || server.adopted
  return {
    server,
    state: wasReady ? 'failed' : 'starting',
    health: 'refused',
    evidence: `${evidence}, ${wasReady ? 'but it no longer answers' : 'and does not answer yet'}`,
  }
}

function describeGone(view: SessionView): Pick<ServerStatus, 'state' | 'evidence'> {
  const rest = view.members.map(({ pid, command }) => `${String(pid)} (${command})`)
  const left = rest.length === 0 ? '' : `; left of its session: ${rest.join(', ')} (stop ends them)`
  return { state: 'gone', evidence: `${view.evidence}${left}` }
}
