import type { Bridge } from './bridge.ts'
import { createBridgeShell } from './shell-bridge.ts'
import { createBrowserShell } from './shell-browser.ts'

/** What this front door can do beyond showing the screens. Asked for, never guessed. */
export interface Abilities {
  front: 'window' | 'page'
  platform: 'mac' | 'windows' | 'linux'
  /** Native save dialog: the engine then writes to the chosen path. Without it a report is downloaded. */
  saveFile: boolean
  openFile: boolean
  reveal: boolean
  notify: boolean
  /** Prints reports itself (PDF, PNG). */
  print: boolean
  /** File → Attach to an engine. */
  attach: boolean
  /** Where secrets may be kept: the system's keyring, or nowhere (asked again). */
  secrets: 'keyring' | 'ask-again'
  secretsNote?: string
}

interface SaveFileInput {
  suggestedName: string
  /** Extensions without the dot. */
  extensions?: string[]
}
interface OpenFileInput {
  title: string
  extensions?: string[]
}
interface NoticeInput {
  title: string
  body: string
  /** Hash route a click leads to. */
  route?: string
}

export interface Shell {
  abilities(): Promise<Abilities>
  /** Path the person chose; undefined when they cancelled. */
  saveFile(input: SaveFileInput): Promise<string | undefined>
  openFile(input: OpenFileInput): Promise<string | undefined>
  reveal(path: string): Promise<void>
  notify(input: NoticeInput): Promise<void>
  /** Asks for an engine's address and attaches; `detach` goes back to the window's own. */
  attach(input: { url: string }): Promise<void>
  detach(): Promise<void>
  /** Tells the shell which appearance its own parts (title bar, background) have to take. */
  appearance(input: { appearance: 'light' | 'dark' | 'system' }): Promise<void>
  /** Writes a report's HTML as PDF or PNG to a path chosen in `saveFile`; only where `abilities.print`. */
  printReport(input: { html: string; format: 'pdf' | 'png'; path: string }): Promise<void>
  /** Secrets in the system's keyring; only where `abilities.secrets` is `keyring`. A kept value never comes back into the page. */
  keepSecret(input: { name: string; value: string }): Promise<void>
  forgetSecret(name: string): Promise<void>
  keptSecrets(): Promise<string[]>
  /** Answers a question of the engine with a kept secret. False where there is none or the engine didn't take it. */
  answerPrompt(input: { name: string; promptId: string }): Promise<boolean>
  /** Offers bytes as a file to the person's browser; in the window too, for small texts. */
  download(input: { fileName: string; mediaType: string; data: string | Uint8Array<ArrayBuffer> }): void
  /** Commands of the native menu; the ids are those of the command registry. */
  onMenu(listener: (command: string) => void): () => void
  /** Routes asked for from outside: a notification was clicked, a deep link opened. */
  onOpen(listener: (route: string) => void): () => void
}

export const createShell = (bridge: Bridge | undefined): Shell =>
  bridge === undefined ? createBrowserShell() : createBridgeShell(bridge)
