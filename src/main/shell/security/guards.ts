import { app, type WebContents } from 'electron'
import { isAppUrl } from '../bridge/sender.ts'

/**
 * For every page there ever is, whoever made it: it stays where it is. A reload is one of its own; everything else, a new window or a
 * webview does not happen. Addresses meant for the person's browser go to `openExternally`.
 */
export function guardAllPages(openExternally: (url: string, from: WebContents) => void): void {
  app.on('web-contents-created', (_event, contents) => {
    contents.on('will-attach-webview', (event) => {
      event.preventDefault()
    })
    contents.on('will-navigate', (event, legacyUrl: unknown) => {
      const url = typeof event.url === 'string' ? event.url : String(legacyUrl)
      if (isReloadOf(contents, url)) return
      event.preventDefault()
      if (url.startsWith('https:')) openExternally(url, contents)
    })
    // Chromium asks nobody about about:blank. Whatever page of ours was left that way comes back.
    let own: string | undefined
    contents.on('did-navigate', (_event, url) => {
      if (isAppUrl(url)) own = url
      else if (own !== undefined) void contents.loadURL(own).catch(() => undefined)
    })
    contents.on('will-redirect', (event) => {
      event.preventDefault()
    })
    contents.on('will-frame-navigate', (event) => {
      // Beside the page itself there is only the preview of a report, which has no address.
      if (event.isMainFrame || event.url === 'about:srcdoc') return
      event.preventDefault()
    })
    contents.setWindowOpenHandler(({ url }) => {
      openExternally(url, contents)
      return { action: 'deny' }
    })
  })
}

/** The same page of ours, at whatever route. */
function isReloadOf(contents: WebContents, url: string): boolean {
  const bare = (address: string) => address.split(/[?#]/)[0]
  return isAppUrl(url) && bare(url) === bare(contents.getURL())
}
