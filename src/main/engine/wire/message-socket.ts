import { EventEmitter } from 'node:events'

const OPEN = 1 as const
const CLOSED = 3
/** Of one message, in UTF-16 units; the biggest thing a page sends is a plan with prompts in it. The bridge has the same limit. */
const MOST_CHARACTERS = 4 * 1024 * 1024
/** Calls in one message; a page sends what it asks in one moment together. */
const MOST_CALLS = 100

/** As much of a WebSocket (package `ws`) as tRPC's connection handler uses, over any way of sending texts. */
export interface MessageSocket extends EventEmitter {
  readonly OPEN: typeof OPEN
  readonly readyState: number
  send: (text: string) => void
  close: () => void
  terminate: () => void
  /** A text frame from the other side. */
  receive: (text: string) => void
  /** The other side is gone. */
  gone: () => void
}

export function createMessageSocket(deps: { post: (text: string) => void; onClose: () => void }): MessageSocket {
  let readyState: number = OPEN
  const end = () => {
    if (readyState === CLOSED) return false
    readyState = CLOSED
    socket.emit('close')
    return true
  }
  const close = () => {
    if (end()) deps.onClose()
  }
  const socket: MessageSocket = Object.assign(new EventEmitter(), {
    OPEN,
    readyState,
    send(text: string) {
      if (readyState === OPEN) deps.post(text)
    },
    close,
    terminate: close,
    receive(text: string) {
      // tRPC takes frames as `ws` gives them: buffers, with a flag for binary ones.
      if (readyState !== OPEN) return
      // Before anything of it is carried out: thousands of calls in one message would hold everybody up.
      if (isTooMuch(text)) close()
      else socket.emit('message', Buffer.from(text), false)
    },
    gone: () => void end(),
  })
  Object.defineProperty(socket, 'readyState', { get: () => readyState })
  return socket
}

function isTooMuch(text: string): boolean {
  if (text.length > MOST_CHARACTERS) return true
  if (!/^\s*\[/.test(text)) return false
  try {
    return (JSON.parse(text) as unknown[]).length > MOST_CALLS
  } catch {
    // tRPC says what is wrong with it.
    return false
  }
}
