import { app, dialog, session } from 'electron'
import type { AttachedSweep } from '../../shared/contract/engine-process.ts'
import { needingThisMachine } from './system/progress.ts'
import type { Windows } from './window/windows.ts'

interface QuittingDeps {
  windows: () => Windows
  sweeps: () => readonly AttachedSweep[]
  /** Ends the engines in good order. */
  endEngines: () => Promise<void>
}

/**
 * The end of the app. It asks only when a sweep depends on this machine; a sweep on a host runs on without us. In the background the app
 * lives on without a window until those sweeps are over, and then ends by itself.
 */
export function createQuitting({ windows, sweeps, endEngines }: QuittingDeps) {
  let step: 'no' | 'asking' | 'background' | 'ending' | 'over' = 'no'

  async function end() {
    step = 'ending'
    windows().hide()
    await endEngines()
    session.defaultSession.flushStorageData()
    step = 'over'
    app.exit(0)
  }

  async function begin({ ask }: { ask: boolean }) {
    if (step === 'asking' || step === 'ending' || step === 'over') return
    const needing = needingThisMachine(sweeps())
    if (ask && needing.length > 0) {
      step = 'asking'
      const wish = await askPerson(windows(), needing)
      if (wish === 'cancel') {
        step = 'no'
        return
      }
      if (wish === 'background') {
        step = 'background'
        windows().hide()
        return
      }
    }
    await end()
  }

  return {
    begin,
    isOver: () => step === 'over',
    /** True while nothing, or only the person's answer, holds the app. */
    isEnding: () => step === 'ending' || step === 'over',
    /** Somebody wants to see the app again. */
    shown() {
      if (step === 'background') step = 'no'
    },
    sweepsChanged() {
      if (step === 'background' && needingThisMachine(sweeps()).length === 0) void end()
    },
  }
}
export type Quitting = ReturnType<typeof createQuitting>

async function askPerson(windows: Windows, needing: readonly AttachedSweep[]): Promise<'background' | 'interrupt' | 'cancel'> {
  const names = needing.map(({ name }) => name).join(', ')
  const question = {
    type: 'question' as const,
    title: 'Quit Speedgrid?',
    message:
      needing.length === 1
        ? `“${names}” is being measured from this machine.`
        : `${String(needing.length)} sweeps are measured from this machine.`,
    detail:
      `${needing.length === 1 ? '' : `${names}\n\n`}It stops when Speedgrid ends. Finished cells are kept, and the run can be gone on with later. ` +
      'Without a window it goes on measuring, and Speedgrid ends by itself after that.',
    buttons: ['Keep measuring without a window', 'Interrupt and quit', 'Cancel'],
    defaultId: 0,
    cancelId: 2,
    noLink: true,
  }
  const window = windows.front()
  const { response } = await (window === undefined ? dialog.showMessageBox(question) : dialog.showMessageBox(window, question))
  return (['background', 'interrupt', 'cancel'] as const)[response] ?? 'cancel'
}
