import { type Bridge, readIncoming } from './bridge.ts'

/** `createShell` numbers its calls from 1. */
const ENGINE_QUESTION = 0

/**
 * A class that speaks like a WebSocket through the preload bridge, so that the window and the page share tRPC's one link.
 * It opens when the shell says that the engine is up, and closes when it says that the engine is down.
 */
export function createBridgeSocketClass(bridge: Bridge): typeof WebSocket {
  class BridgeSocket extends EventTarget {
    static readonly CONNECTING = 0
    static readonly OPEN = 1
    static readonly CLOSING = 2
    static readonly CLOSED = 3
    readyState: number = BridgeSocket.CONNECTING
    private readonly leave: () => void

    constructor() {
      super()
      this.leave = bridge.onMessage((text) => {
        this.take(text)
      })
      // Asked, because the event that the engine is up may have passed before this socket was made.
      bridge.send(JSON.stringify({ to: 'shell', id: ENGINE_QUESTION, call: 'engine', input: null }))
    }

    send(data: string) {
      if (this.readyState === BridgeSocket.OPEN) bridge.send(JSON.stringify({ to: 'engine', data }))
    }

    close() {
      if (this.readyState === BridgeSocket.CLOSED) return
      this.readyState = BridgeSocket.CLOSED
      this.leave()
      this.dispatchEvent(new CloseEvent('close', { code: 1000, wasClean: true }))
    }

    private open() {
      if (this.readyState !== BridgeSocket.CONNECTING) return
      this.readyState = BridgeSocket.OPEN
      this.dispatchEvent(new Event('open'))
    }

    private take(text: string) {
      const message = readIncoming(text)
      if (message === undefined) return
      if (message.from === 'engine') this.dispatchEvent(new MessageEvent('message', { data: message.data }))
      else if ('event' in message && message.event === 'engine') {
        if (message.state === 'up') this.open()
        else if (this.readyState === BridgeSocket.OPEN) this.close()
      } else if ('id' in message && message.id === ENGINE_QUESTION && message.ok && message.value === 'up') this.open()
    }
  }
  return BridgeSocket as unknown as typeof WebSocket
}
