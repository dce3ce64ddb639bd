import type { InputStream } from '../deps.ts'

/** Reads single keys in raw mode. Ctrl-C comes as a key then, and goes to `onInterrupt`. */
export function readKeys(
  stdin: InputStream,
  handlers: { onKey(key: string): void; onInterrupt(): void },
): { pause(): () => void; dispose(): void } {
  if (!stdin.isTTY || !stdin.setRawMode) return { pause: () => () => {}, dispose() {} }
  const onData = (chunk: Buffer | string) => {
    const text = chunk.toString()
    // An escape sequence (arrow, paste) is no key of ours.
    if (text.startsWith('\u001b')) return
    for (const char of text) {
      if (char === '\u0003') handlers.onInterrupt()
      else handlers.onKey(char.toLowerCase())
    }
  }
  const restore = () => void stdin.setRawMode?.(false)
  let on = false
  const start = () => {
    if (on) return
    on = true
    stdin.setRawMode?.(true)
    stdin.on('data', onData)
    stdin.resume()
    process.once('exit', restore)
  }
  const stop = () => {
    if (!on) return
    on = false
    stdin.off('data', onData)
    stdin.setRawMode?.(false)
    stdin.pause()
    process.off('exit', restore)
  }
  start()
  return {
    pause() {
      stop()
      return start
    },
    dispose: stop,
  }
}
