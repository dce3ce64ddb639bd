/** The way to whoever started this process: an Electron utility process's parent port, or Node's IPC channel. */
export interface ProcessWire {
  post: (message: object) => void
  onMessage: (listener: (message: unknown) => void) => void
  /** The parent is gone. A utility process dies with its parent, so that nobody has to be told there. */
  onGone: (listener: () => void) => void
  /** Lets the process end; resolves when what was posted is on its way. */
  close: () => Promise<void>
}

/** Electron adds it to a utility process's `process`. */
interface ParentPort {
  postMessage: (message: object) => void
  on: (event: 'message', listener: (event: { data: unknown }) => void) => void
}

/** undefined where nobody listens: the process was started by hand. */
export function findProcessWire(): ProcessWire | undefined {
  const port = (process as unknown as { parentPort?: ParentPort }).parentPort
  if (port !== undefined && port !== null) {
    return {
      post: (message) => port.postMessage(message),
      onMessage: (listener) => port.on('message', (event) => listener(event.data)),
      onGone: () => undefined,
      close: () => new Promise((resolve) => setTimeout(resolve, 50)),
    }
  }
  if (process.send === undefined) return undefined
  return {
    post: (message) => {
      // A parent that is gone is noticed by `disconnect`.
      if (process.connected) process.send?.(message, undefined, {}, () => undefined)
    },
    onMessage: (listener) => void process.on('message', listener),
    onGone: (listener) => void process.on('disconnect', listener),
    close: async () => {
      if (process.connected) {
        await new Promise<void>((resolve) => {
          process.send?.({ kind: 'flush' }, undefined, {}, () => resolve())
        })
        process.disconnect()
      }
    },
  }
}
