import { getWSConnectionHandler } from '@trpc/server/adapters/ws'
import type { EngineApi } from '../../shared/contract/api.ts'
import { appRouter } from '../../shared/contract/router.ts'
import type { Bridge, EngineLife, ShellCall } from '../state/bridge.ts'

/** Tests run in Node; the renderer's own types know nothing of it. */
declare const Buffer: { from(text: string): Uint8Array }

/** Messages to the process behind the bridge: tRPC text for the engine, calls for the shell. */
type Outgoing = { to: 'engine'; data: string } | { to: 'shell'; id: number; call: ShellCall; input: unknown }

type Listener = (...values: never[]) => void

/** As much of a `ws` socket as tRPC's server side uses. */
function createServerSocket(send: (text: string) => void) {
  const listeners = new Map<string, Set<Listener>>()
  const on = (event: string, listener: Listener) => {
    listeners.set(event, (listeners.get(event) ?? new Set()).add(listener))
  }
  const emit = (event: string, ...values: unknown[]) => {
    for (const listener of listeners.get(event) ?? []) listener(...(values as never[]))
  }
  const socket = {
    readyState: 1,
    on,
    once: on,
    off: () => undefined,
    emit,
    send: (text: string) => {
      if (socket.readyState === 1)
        later(() => {
          send(text)
        })
    },
    close: () => {
      if (socket.readyState === 3) return
      socket.readyState = 3
      emit('close')
    },
    terminate: () => {
      socket.close()
    },
  }
  return socket
}

/** A turn of the event loop, as messages between processes take at least. */
const later = (act: () => void) => void setTimeout(act, 0)

export interface MemoryBridge extends Bridge {
  /** The shell says how its engine stands; going down closes what was open. */
  setEngine(state: EngineLife): void
  /** A message of the shell's own. */
  say(message: object): void
  calls: Extract<Outgoing, { to: 'shell' }>[]
}

/** The preload bridge, the shell's part of it and the engine's router in one process: what the window does, without Electron. */
export function createMemoryBridge(
  api: EngineApi,
  answers: Partial<Record<string, (input: never) => unknown>> = {},
): MemoryBridge {
  const listeners = new Set<(text: string) => void>()
  const calls: MemoryBridge['calls'] = []
  const connect = getWSConnectionHandler({
    wss: undefined as never,
    router: appRouter,
    createContext: () => ({ api, reportUnexpected: String }),
  })
  let life: EngineLife = 'up'
  let socket: ReturnType<typeof createServerSocket> | undefined
  const say = (message: object) => {
    for (const listener of listeners) listener(JSON.stringify(message))
  }
  const open = () => {
    socket?.close()
    socket = createServerSocket((data) => {
      say({ from: 'engine', data })
    })
    const noRequest = { url: '/trpc', headers: {}, socket: {} }
    connect(socket as never, noRequest as never)
  }
  const answer = ({ id, call, input }: MemoryBridge['calls'][number]) => {
    if (call === 'engine') {
      if (life === 'up') open()
      return { from: 'shell', id, ok: true, value: life }
    }
    const act = answers[call]
    return act === undefined
      ? { from: 'shell', id, ok: false, error: `no ${call} here` }
      : { from: 'shell', id, ok: true, value: act(input as never) ?? null }
  }
  return {
    calls,
    say,
    send: (text) => {
      const message = JSON.parse(text) as Outgoing
      later(() => {
        if (message.to === 'engine') socket?.emit('message', Buffer.from(message.data), false)
        else {
          calls.push(message)
          say(answer(message))
        }
      })
    },
    onMessage: (listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    setEngine: (state) => {
      life = state
      if (state === 'up') open()
      else socket?.close()
      say({ from: 'shell', event: 'engine', state })
    },
  }
}
