import type { Page } from '@playwright/test'
import type { Person, Running } from '../../test/program/speedgrid.ts'

/** The program as a person has it before them: one data folder, a home, and a page or the window on the built bundles. */
export interface App {
  kind: 'page' | 'window'
  person: Person
  page: Page
  /** Messages of the console, failed scripts and violations of the content security policy, of every page so far. */
  problems: string[]
  /** A further page of the same browser. Only the page has one. */
  openPage(): Promise<Page>
  /** The engine's process; undefined in the window, where the shell owns it. */
  readonly serve: Serve | undefined
  /** From now on the shell's save dialog gives this path without showing; a browser has downloads instead. */
  answerSave(path: string): Promise<void>
  /** Ends the engine as told, and starts it again at the same port. */
  restart(signal: 'SIGINT' | 'SIGKILL'): Promise<void>
}

export interface Serve {
  running: Running
  address: string
  port: number
  link: string
}

export function watchProblems(page: Page, problems: string[]): void {
  page.on('console', (message) => {
    const text = message.text()
    // A break of the link is said by the browser too; the page says it with its banner.
    if (/ERR_CONNECTION_(REFUSED|RESET|CLOSED)|WebSocket connection to/.test(text)) return
    if (message.type() === 'error' || /Content.Security.Policy/i.test(text)) problems.push(`${message.type()}: ${text}`)
  })
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`))
}
