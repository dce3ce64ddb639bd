/** What the native menu sends: ids of the page's command registry (src/renderer/app), with the keys a person knows them by. */
export interface MenuCommand {
  id: string
  label: string
  accelerator?: string
}

export const PLACES: readonly MenuCommand[] = [
  { id: 'go.hosts', label: 'Hosts', accelerator: 'CmdOrCtrl+1' },
  { id: 'go.launch', label: 'Launch', accelerator: 'CmdOrCtrl+2' },
  { id: 'go.sweep', label: 'Sweep', accelerator: 'CmdOrCtrl+3' },
  { id: 'go.history', label: 'History', accelerator: 'CmdOrCtrl+4' },
  { id: 'go.report', label: 'Report', accelerator: 'CmdOrCtrl+5' },
  { id: 'app.settings', label: 'Settings', accelerator: 'CmdOrCtrl+6' },
]

export const RUN: readonly MenuCommand[] = [
  { id: 'sweep.run', label: 'Run the Plan', accelerator: 'CmdOrCtrl+Enter' },
  { id: 'sweep.pause', label: 'Pause or Go On', accelerator: 'CmdOrCtrl+Alt+P' },
  { id: 'sweep.skip', label: 'Skip This Cell', accelerator: 'CmdOrCtrl+Alt+S' },
  { id: 'sweep.remeasure', label: 'Measure the Focused Cell Again' },
  { id: 'sweep.stop', label: 'Stop the Sweep', accelerator: 'CmdOrCtrl+.' },
  { id: 'sweep.resume', label: 'Go On With the Run' },
]

export const APPEARANCES: readonly MenuCommand[] = [
  { id: 'appearance.light', label: 'Light' },
  { id: 'appearance.dark', label: 'Dark' },
  { id: 'appearance.system', label: 'As the System' },
]
