import type { EngineLink, EngineLinkEvents } from '../engine-link/engine-link.ts'
import type { EngineLife, ToPage } from './envelope.ts'

/** One page of a window (or the shell itself), with a connection of its own to the engine. */
export interface Page {
  /** A new socket of the page: the connection before it, if any, is over. Returns whether the engine is there. */
  connect(): EngineLife
  toEngine(data: string): void
  /** The page was left, reloaded or died. */
  disconnect(): void
  dispose(): void
}

export interface Hub {
  addPage(send: (message: ToPage) => void): Page
  /** From now on pages speak with this engine; those that are connected start again. */
  use(link: EngineLink): void
  readonly state: EngineLife
  /** What a link has to be made with. `which` tells links apart: one that isn't used any more is not heard. */
  eventsFor(which: () => EngineLink | undefined): EngineLinkEvents
}

interface Member {
  send: (message: ToPage) => void
  /** Under which the engine knows the page's socket; undefined while there is none. */
  connection: number | undefined
}

/** Carries frames between pages and the engine in use. It never looks into them. */
export function createHub(): Hub {
  const members = new Set<Member>()
  let link: EngineLink | undefined
  let lastConnection = 0

  const say = (member: Member, state: EngineLife) => {
    member.send({ from: 'shell', event: 'engine', state })
  }
  const leave = (member: Member) => {
    if (member.connection !== undefined) link?.close(member.connection)
    member.connection = undefined
  }
  const enter = (member: Member) => {
    leave(member)
    if (link?.state !== 'up') return
    lastConnection += 1
    member.connection = lastConnection
    link.open(lastConnection)
  }
  const byConnection = (connection: number) => [...members].find((member) => member.connection === connection)

  function take(state: EngineLife) {
    for (const member of members) {
      if (state === 'up') enter(member)
      else member.connection = undefined
      say(member, state)
    }
  }

  return {
    get state() {
      return link?.state ?? 'down'
    },
    addPage(send) {
      const member: Member = { send, connection: undefined }
      members.add(member)
      return {
        connect: () => {
          enter(member)
          return link?.state ?? 'down'
        },
        toEngine: (data) => {
          if (member.connection !== undefined) link?.send(member.connection, data)
        },
        disconnect: () => {
          leave(member)
        },
        dispose: () => {
          leave(member)
          members.delete(member)
        },
      }
    },
    use(next) {
      for (const member of members) leave(member)
      link = next
      take('down')
      if (next.state === 'up') take('up')
    },
    eventsFor: (which) => {
      const isUsed = () => which() === link && link !== undefined
      return {
        state: (state) => {
          if (isUsed()) take(state)
        },
        data: (connection, data) => {
          if (isUsed()) byConnection(connection)?.send({ from: 'engine', data })
        },
        closed: (connection) => {
          const member = isUsed() ? byConnection(connection) : undefined
          if (member === undefined) return
          member.connection = undefined
          say(member, 'down')
        },
      }
    },
  }
}
