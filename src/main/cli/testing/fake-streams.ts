import type { InputStream, OutputStream } from '../deps.ts'

export interface FakeOutput extends OutputStream {
  text(): string
}

export function fakeOutput(options: { isTTY?: boolean; columns?: number; rows?: number } = {}): FakeOutput {
  let text = ''
  return {
    ...options,
    write(part: string) {
      text += part
      return true
    },
    text: () => text,
  }
}

export interface FakeInput extends InputStream {
  type(text: string): void
  /** Whether raw mode is on: what is typed is not echoed by the terminal. */
  raw(): boolean
  listeners(): number
}

export function fakeInput(isTTY: boolean): FakeInput {
  const listeners = new Set<(chunk: string) => void>()
  let raw = false
  return {
    isTTY,
    setRawMode(on) {
      raw = on
    },
    resume() {},
    pause() {},
    on: (_event, listener) => listeners.add(listener),
    off: (_event, listener) => listeners.delete(listener),
    type(text) {
      for (const listener of listeners) listener(text)
    },
    raw: () => raw,
    listeners: () => listeners.size,
  }
}
