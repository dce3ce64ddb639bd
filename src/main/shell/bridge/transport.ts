import { ipcMain, type WebContents } from 'electron'
import { answerCall, CallError, type CallHandlers } from './calls.ts'
import { BRIDGE_CHANNEL, readFromPage, type ToPage } from './envelope.ts'
import type { Page } from './hub.ts'
import { isTrustedFrame } from './sender.ts'

/** A window that may speak with the shell. */
export interface Member {
  contents: WebContents
  /** Absent: a small page of the shell's own, which has no way to the engine. */
  page?: Page
  /** What this window may call; absent: everything. */
  calls?: readonly string[]
}

export function sendToPage(contents: WebContents, message: ToPage): void {
  if (!contents.isDestroyed() && !contents.isCrashed()) contents.send(BRIDGE_CHANNEL, JSON.stringify(message))
}

/** The one door for what pages say: the sender is checked first, then the envelope, then the call's input. */
export function createTransport({
  handlers,
  memberOf,
}: {
  handlers: CallHandlers<Member>
  memberOf: (contents: WebContents) => Member | undefined
}) {
  ipcMain.on(BRIDGE_CHANNEL, (event, text: unknown) => {
    const member = memberOf(event.sender)
    if (member === undefined || !isTrustedFrame(event.senderFrame, event.sender.mainFrame)) return
    const message = readFromPage(text)
    if (message === undefined) return
    if (message.to === 'engine') {
      member.page?.toEngine(message.data)
      return
    }
    const guarded = member.calls === undefined || member.calls.includes(message.call) ? handlers : refusing(handlers)
    void answerCall(guarded, message, member, logUnexpected).then((answer) => {
      sendToPage(member.contents, answer)
    })
  })
}

const logUnexpected = (call: string, error: unknown) => {
  console.error(`shell call ${call}:`, error)
}

function refusing<Caller>(handlers: CallHandlers<Caller>): CallHandlers<Caller> {
  const refuse = () => {
    throw new CallError('This page may not do that.')
  }
  return Object.fromEntries(Object.keys(handlers).map((name) => [name, refuse])) as unknown as CallHandlers<Caller>
}
