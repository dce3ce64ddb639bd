import { BrowserWindow, dialog, shell, type WebContents } from 'electron'
import { externalAddress } from './external-address.ts'

/** The person's browser, after they have seen the full address. */
export async function openExternally(url: string, from: WebContents): Promise<void> {
  const address = externalAddress(url)
  if (address === undefined) return
  const question = {
    type: 'question' as const,
    title: 'Open in your browser?',
    message: 'Open this address in your browser?',
    detail: address,
    buttons: ['Cancel', 'Open'],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  }
  const window = BrowserWindow.fromWebContents(from)
  const { response } = await (window === null ? dialog.showMessageBox(question) : dialog.showMessageBox(window, question))
  if (response === 1) await shell.openExternal(address)
}
