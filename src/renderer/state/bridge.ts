/** What the preload script exposes in the window: two functions that carry text. Absent in the page. */
export interface Bridge {
  send(text: string): void
  onMessage(listener: (text: string) => void): () => void
}

declare global {
  interface Window {
    speedgrid?: Bridge
  }
}

export type ShellCall =
  | 'engine'
  | 'abilities'
  | 'saveFile'
  | 'openFile'
  | 'reveal'
  | 'notify'
  | 'attach'
  | 'detach'
  | 'appearance'
  | 'printReport'
  | 'keepSecret'
  | 'forgetSecret'
  | 'keptSecrets'
  | 'answerPrompt'

export type EngineLife = 'up' | 'down' | 'restarting'

type Incoming =
  | { from: 'engine'; data: string }
  | { from: 'shell'; id: number; ok: true; value: unknown }
  | { from: 'shell'; id: number; ok: false; error: string }
  | { from: 'shell'; event: 'menu'; command: string }
  | { from: 'shell'; event: 'engine'; state: EngineLife }
  | { from: 'shell'; event: 'open'; route: string }

/** Undefined for text that is no message of the bridge. */
export function readIncoming(text: string): Incoming | undefined {
  try {
    const message: unknown = JSON.parse(text)
    if (typeof message !== 'object' || message === null || !('from' in message)) return undefined
    return message.from === 'engine' || message.from === 'shell' ? (message as Incoming) : undefined
  } catch {
    return undefined
  }
}
