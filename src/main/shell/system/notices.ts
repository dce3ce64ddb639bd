import { app, Notification } from 'electron'

export interface Notice {
  title: string
  body: string
  /** Hash route a click leads to. */
  route?: string | undefined
  isFailure?: boolean
}

interface NoticeDeps {
  isFocused: () => boolean
  /** Brings the window to the front, at this route. */
  show: (route: string | undefined) => void
}

/** The system's notifications, only while nobody looks at the window; failures also count on the icon until somebody does. */
export function createNotices({ isFocused, show }: NoticeDeps) {
  // A notification that is collected as garbage doesn't hear its click.
  const shown = new Set<Notification>()
  let failures = 0
  const count = (next: number) => {
    failures = next
    // Windows has no number on its icon.
    if (process.platform !== 'win32') app.setBadgeCount(failures)
  }
  return {
    isSupported: () => Notification.isSupported(),
    notify({ title, body, route, isFailure = false }: Notice) {
      if (isFocused()) return
      if (isFailure) count(failures + 1)
      if (!Notification.isSupported()) return
      const notice = new Notification({ title, body })
      shown.add(notice)
      const forget = () => shown.delete(notice)
      notice.on('click', () => {
        forget()
        show(route)
      })
      notice.on('close', forget)
      notice.show()
    },
    seen() {
      if (failures > 0) count(0)
    },
  }
}
