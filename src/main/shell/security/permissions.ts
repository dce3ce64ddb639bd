import type { Session } from 'electron'
import { isAppUrl } from '../bridge/sender.ts'

const GRANTED = new Set(['clipboard-sanitized-write', 'notifications'])

/** Nothing but writing to the clipboard and notifying, and that only for pages of ours. No device, no screen, no download unasked. */
export function limitPermissions(session: Session): void {
  session.setPermissionRequestHandler((contents, permission, answer) => {
    answer(GRANTED.has(permission) && isAppUrl(contents.getURL()))
  })
  session.setPermissionCheckHandler((_contents, permission, origin) => GRANTED.has(permission) && isAppUrl(origin))
  session.setDevicePermissionHandler(() => false)
  session.on('will-download', (event, item) => {
    if (!/^(blob:app:\/\/speedgrid\/|data:)/.test(item.getURL())) event.preventDefault()
  })
  for (const chooser of ['select-hid-device', 'select-serial-port', 'select-usb-device'] as const) {
    session.on(chooser as 'select-hid-device', (event) => {
      event.preventDefault()
    })
  }
}
