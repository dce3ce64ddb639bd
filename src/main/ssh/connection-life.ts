import type { Duplex } from 'node:stream'
import type { Client } from 'ssh2'
import type { SecretMemory } from './secrets.ts'

interface Closing {
  onClose: (listener: (reason: string) => void) => () => void
  isClosed(): boolean
  because(reason: string): void
  close(): void
}

export function createClosing(client: Client, carrier: Duplex): Closing {
  const listeners = new Set<(reason: string) => void>()
  let reason: string | undefined
  let closed = false
  const announce = () => {
    if (closed) return
    closed = true
    for (const listener of listeners) listener(reason ?? 'the connection was closed')
  }
  client.on('close', announce)
  const carrierGone = () => {
    client.destroy()
    announce()
  }
  // A carrier that is a channel of another hop may go without the library noticing; and where only its far end is gone (the host
  // behind a jump host died), the channel says `end` and stays half open for ever.
  carrier.on('close', carrierGone)
  carrier.on('end', carrierGone)
  return {
    onClose(listener) {
      if (closed) listener(reason ?? 'the connection was closed')
      else listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    isClosed: () => closed,
    because: (text) => {
      reason ??= text
    },
    close() {
      client.end()
      client.destroy()
      carrier.destroy()
      // At once: the events of a dead socket may never come, and nobody may be given this connection meanwhile.
      announce()
    },
  }
}

interface Deadline {
  restart(): void
  pause(): void
  stop(): void
}

export function createDeadline(timeoutMs: number, onExpired: () => void): Deadline {
  let stopped = false
  let timer: NodeJS.Timeout | undefined = setTimeout(onExpired, timeoutMs)
  const pause = () => {
    clearTimeout(timer)
    timer = undefined
  }
  return {
    pause,
    restart() {
      pause()
      if (!stopped) timer = setTimeout(onExpired, timeoutMs)
    },
    stop() {
      stopped = true
      pause()
    },
  }
}

/** Wraps a callback of the library so that it is called only while the connection is there: a late call throws out of the library. */
export type WhileOpen = <Args extends unknown[]>(call: (...args: Args) => void) => (...args: Args) => void

/** The memory as one connection uses it. */
interface ConnectionSecrets extends SecretMemory {
  /** The person is being asked for this connection, or is about to be. */
  readonly isAsking: boolean
}

/** The same memory, whose questions stop the clock of this connection, and are taken away when it is gone: then they reject with the reason. */
export function secretsOf(secrets: SecretMemory, deadline: Deadline, gone: AbortSignal): ConnectionSecrets {
  let asking = 0
  const { prompter } = secrets
  return {
    ...secrets,
    prompter: {
      secret: (text, options) => untilGone(gone, () => prompter.secret(text, { ...options, signal: gone })),
      trustHostKey: (question) => untilGone(gone, () => prompter.trustHostKey(question, { signal: gone })),
    },
    get isAsking() {
      return asking > 0
    },
    async oneAtATime(ask) {
      deadline.pause()
      asking++
      try {
        return await untilGone(gone, () => secrets.oneAtATime(() => untilGone(gone, ask)))
      } finally {
        asking--
        deadline.restart()
      }
    },
  }
}

function untilGone<Value>(gone: AbortSignal, work: () => Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(gone.reason)
    if (gone.aborted) return leave()
    gone.addEventListener('abort', leave, { once: true })
    void work()
      .then(resolve, reject)
      .finally(() => gone.removeEventListener('abort', leave))
  })
}
