/** The app's own origin; host names its only site. */
export const APP_SCHEME = 'app'
const APP_HOST = 'speedgrid'
export const APP_ORIGIN = `${APP_SCHEME}://${APP_HOST}`

/** True for addresses of our own pages. Parsed, because `app://speedgrid.example/` starts with our origin too. */
export function isAppUrl(url: string): boolean {
  try {
    const { protocol, host, username, password } = new URL(url)
    return protocol === `${APP_SCHEME}:` && host === APP_HOST && username === '' && password === ''
  } catch {
    return false
  }
}

interface FrameLike {
  url: string
}

/** Checked once for every message, before anything of it is decoded: the main frame of a window of ours, showing a page of ours. */
export function isTrustedFrame(frame: FrameLike | null | undefined, mainFrame: FrameLike | undefined): boolean {
  return frame !== null && frame !== undefined && frame === mainFrame && isAppUrl(frame.url)
}
