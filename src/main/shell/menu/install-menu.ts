import { app, Menu } from 'electron'
import type { Engines } from '../engines.ts'
import type { Windows } from '../window/windows.ts'
import { menuTemplate } from './menu-template.ts'

interface InstallMenuDeps {
  windows: Windows
  engines: Pick<Engines, 'attachedTo' | 'detach'>
  /** Asks for another engine's link. */
  attach: () => void
}

/** The native menu as things stand; again whenever the engine in use changes. */
export function installMenu({ windows, engines, attach }: InstallMenuDeps): void {
  const facts = {
    isMac: process.platform === 'darwin',
    isPackaged: app.isPackaged,
    isAttached: engines.attachedTo() !== undefined,
  }
  const actions = {
    command: (id: string) => {
      windows.command(id)
    },
    newWindow: () => void windows.open(undefined, windows.front()),
    attach,
    detach: () => void engines.detach(),
    about: () => {
      app.showAboutPanel()
    },
  }
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(facts, actions)))
}
