import { downloadFile } from './download.ts'
import type { Shell } from './shell.ts'

/** The page: what a browser can do by itself. */
export function createBrowserShell(): Shell {
  const none = () => () => {}
  return {
    abilities: () =>
      Promise.resolve({
        front: 'page',
        platform: platformOf(navigator.userAgent),
        saveFile: false,
        openFile: false,
        reveal: false,
        notify: 'Notification' in window,
        print: false,
        attach: false,
        secrets: 'ask-again',
        secretsNote: 'A browser page keeps no passwords: they are asked for again after a restart of the engine.',
      }),
    saveFile: () => Promise.resolve(undefined),
    openFile: () => Promise.resolve(undefined),
    reveal: () => Promise.resolve(),
    notify: async ({ title, body, route }) => {
      if (Notification.permission === 'default') await Notification.requestPermission()
      if (Notification.permission !== 'granted' || document.hasFocus()) return
      const notice = new Notification(title, { body })
      notice.addEventListener('click', () => {
        window.focus()
        if (route !== undefined) window.location.hash = route
      })
    },
    attach: () => Promise.resolve(),
    detach: () => Promise.resolve(),
    appearance: () => Promise.resolve(),
    printReport: () => Promise.reject(new Error('A browser page prints no reports; the engine does.')),
    keepSecret: () => Promise.reject(new Error('A browser page keeps no secrets.')),
    forgetSecret: () => Promise.resolve(),
    keptSecrets: () => Promise.resolve([]),
    answerPrompt: () => Promise.resolve(false),
    download: downloadFile,
    onMenu: none,
    onOpen: none,
  }
}

export function platformOf(userAgent: string): 'mac' | 'windows' | 'linux' {
  if (/Mac OS X|Macintosh/.test(userAgent)) return 'mac'
  return userAgent.includes('Windows') ? 'windows' : 'linux'
}
