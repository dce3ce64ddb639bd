import type { MenuItemConstructorOptions } from 'electron'
import { APPEARANCES, type MenuCommand, PLACES, RUN } from './commands.ts'

interface MenuActions {
  /** To the page of the focused window. */
  command: (id: string) => void
  newWindow: () => void
  attach: () => void
  detach: () => void
  about: () => void
}

interface MenuFacts {
  isMac: boolean
  /** Developer tools are for checkouts. */
  isPackaged: boolean
  isAttached: boolean
}

const SEPARATOR: MenuItemConstructorOptions = { type: 'separator' }

/** The whole native menu. Keys of commands are the page's to catch (it knows text fields); here they are shown. */
export function menuTemplate(facts: MenuFacts, actions: MenuActions): MenuItemConstructorOptions[] {
  const item = ({ id, label, accelerator }: MenuCommand): MenuItemConstructorOptions => ({
    id,
    label,
    ...(accelerator === undefined ? {} : { accelerator, registerAccelerator: false }),
    click: () => {
      actions.command(id)
    },
  })
  const settings = item({ id: 'app.settings', label: 'Settings…', accelerator: 'CmdOrCtrl+,' })
  return [
    ...(facts.isMac ? [appMenu(settings, actions)] : []),
    { label: '&File', submenu: fileMenu(facts, actions, item, settings) },
    { label: '&Edit', submenu: editMenu(item) },
    { label: '&View', submenu: viewMenu(facts, item) },
    { label: '&Run', submenu: RUN.map(item) },
    {
      label: '&Window',
      role: 'window',
      submenu: [
        { role: 'minimize' },
        ...(facts.isMac ? [{ role: 'zoom' as const }, SEPARATOR, { role: 'front' as const }] : [{ role: 'close' as const }]),
      ],
    },
    {
      label: '&Help',
      role: 'help',
      submenu: [
        item({ id: 'app.palette', label: 'Find a Command…' }),
        item({ id: 'app.settings', label: 'Diagnostics' }),
        ...(facts.isMac ? [] : [SEPARATOR, { id: 'about', label: 'About Speedgrid', click: actions.about }]),
      ],
    },
  ]
}

type Item = (command: MenuCommand) => MenuItemConstructorOptions

function appMenu(settings: MenuItemConstructorOptions, { about }: MenuActions): MenuItemConstructorOptions {
  return {
    label: 'Speedgrid',
    submenu: [
      { id: 'about', label: 'About Speedgrid', click: about },
      SEPARATOR,
      settings,
      SEPARATOR,
      { role: 'services' },
      SEPARATOR,
      { role: 'hide' },
      { role: 'hideOthers' },
      { role: 'unhide' },
      SEPARATOR,
      { role: 'quit' },
    ],
  }
}

function fileMenu(facts: MenuFacts, actions: MenuActions, item: Item, settings: MenuItemConstructorOptions) {
  const menu: MenuItemConstructorOptions[] = [
    item({ id: 'sweep.new', label: 'New Sweep', accelerator: 'CmdOrCtrl+N' }),
    item({ id: 'host.add', label: 'Add a Host…' }),
    { id: 'window.new', label: 'New Window', accelerator: 'CmdOrCtrl+Shift+N', click: actions.newWindow },
    SEPARATOR,
    item({ id: 'report.export', label: 'Export the Report…', accelerator: 'CmdOrCtrl+E' }),
    SEPARATOR,
    { id: 'engine.attach', label: 'Attach to an Engine…', click: actions.attach },
    { id: 'engine.detach', label: 'Back to This Machine’s Engine', enabled: facts.isAttached, click: actions.detach },
    SEPARATOR,
    { role: 'close' },
  ]
  if (facts.isMac) return menu
  return [...menu.slice(0, -1), settings, SEPARATOR, { role: 'quit' as const, label: 'E&xit' }]
}

function editMenu(item: Item): MenuItemConstructorOptions[] {
  return [
    { role: 'undo' },
    { role: 'redo' },
    SEPARATOR,
    { role: 'cut' },
    { role: 'copy' },
    { role: 'paste' },
    { role: 'pasteAndMatchStyle' },
    { role: 'delete' },
    SEPARATOR,
    { role: 'selectAll' },
    SEPARATOR,
    item({ id: 'find', label: 'Find', accelerator: 'CmdOrCtrl+F' }),
    item({ id: 'find.next', label: 'Find Next', accelerator: 'F3' }),
    item({ id: 'find.previous', label: 'Find Previous', accelerator: 'Shift+F3' }),
  ]
}

function viewMenu(facts: MenuFacts, item: Item): MenuItemConstructorOptions[] {
  const arrows = facts.isMac ? { back: 'Cmd+[', forward: 'Cmd+]' } : { back: 'Alt+Left', forward: 'Alt+Right' }
  return [
    item({ id: 'app.palette', label: 'Command Palette…', accelerator: 'CmdOrCtrl+Shift+P' }),
    SEPARATOR,
    ...PLACES.map(item),
    SEPARATOR,
    item({ id: 'go.back', label: 'Back', accelerator: arrows.back }),
    item({ id: 'go.forward', label: 'Forward', accelerator: arrows.forward }),
    SEPARATOR,
    { label: 'Appearance', submenu: APPEARANCES.map(item) },
    SEPARATOR,
    { role: 'resetZoom' },
    { role: 'zoomIn' },
    { role: 'zoomOut' },
    { role: 'togglefullscreen' },
    SEPARATOR,
    { role: 'reload' },
    ...(facts.isPackaged ? [] : [{ role: 'toggleDevTools' as const }]),
  ]
}
