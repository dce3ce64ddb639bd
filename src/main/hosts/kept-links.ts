import { SpeedgridError } from '../../shared/model/error.ts'
import type { Host } from '../../shared/model/host.ts'
import type { HostLink } from '../ssh/types.ts'
import type { ConnectionStateBook } from './connection-states.ts'

/** One control connection a host: opened on first use, shared by everybody, forgotten when it has closed for good. */
interface KeptLinks {
  get(host: Host): Promise<HostLink>
  drop(name: string): Promise<void>
  dispose(): Promise<void>
}

export function createKeptLinks(
  open: (host: Host) => Promise<HostLink>,
  states: Pick<ConnectionStateBook, 'set' | 'forget'>,
): KeptLinks {
  const links = new Map<string, Promise<HostLink>>()
  let disposed = false

  const forget = (name: string, opening: Promise<HostLink>) => {
    if (links.get(name) === opening) links.delete(name)
  }
  const close = async (opening: Promise<HostLink>) => {
    const link = await opening.catch(() => undefined)
    await link?.dispose()
  }

  return {
    async get(host) {
      if (disposed) throw new SpeedgridError('interrupted', 'The engine is ending.')
      const kept = links.get(host.name)
      if (kept !== undefined) return await kept
      states.set(host.name, { state: 'connecting' })
      const opening = open(host)
      links.set(host.name, opening)
      opening.then(
        (link) => {
          if (links.get(host.name) === opening) states.set(host.name, { state: 'connected' })
          link.onStateChange((state) => {
            if (links.get(host.name) === opening) states.set(host.name, state)
            if (state.state === 'closed') forget(host.name, opening)
          })
        },
        (error: unknown) => {
          if (links.get(host.name) === opening) {
            states.set(host.name, { state: 'failed', reason: error instanceof Error ? error.message : String(error) })
          }
          forget(host.name, opening)
        },
      )
      return await opening
    },
    async drop(name) {
      const opening = links.get(name)
      links.delete(name)
      states.forget(name)
      if (opening !== undefined) await close(opening)
    },
    async dispose() {
      disposed = true
      const open = [...links.values()]
      links.clear()
      await Promise.all(open.map(close))
    },
  }
}
