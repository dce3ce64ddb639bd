import type { RunRow } from '../../../shared/contract/runs.ts'
import { navigate } from '../../app/use-route.ts'
import { useApp } from '../../state/context.ts'
import { confirmlessUndo, showDone, showProblem } from '../../ui/toasts.tsx'
import { isGoing } from './run-texts.ts'

/** The contract takes so many at once. */
const AT_ONCE = 1000

export interface RunActions {
  open(run: RunRow): void
  rename(run: RunRow, name: string): Promise<void>
  /** To the trash, with a way back. */
  trash(runs: readonly RunRow[]): Promise<void>
  restore(runs: readonly RunRow[]): Promise<void>
  resume(run: RunRow): Promise<void>
  setBaseline(run: RunRow | undefined): Promise<void>
}

/** `changed` is called after the trash has got or given something. */
export function useRunActions(changed: () => void): RunActions {
  const { client, settings } = useApp()
  const move = async (runs: readonly RunRow[], trashed: boolean) => {
    const ids = runs.map((run) => run.id)
    for (let at = 0; at < ids.length; at += AT_ONCE) {
      await client.runs.trash.mutate({ runIds: ids.slice(at, at + AT_ONCE), trashed })
    }
    changed()
  }
  const guarded = async (act: () => Promise<unknown>) => {
    try {
      await act()
    } catch (error) {
      showProblem(error)
    }
  }
  const what = (runs: readonly RunRow[]) => (runs.length === 1 ? (runs[0]?.name ?? '') : `${String(runs.length)} runs`)
  return {
    open: (run) => {
      navigate(isGoing(run.state) ? { screen: 'sweep', runId: run.id } : { screen: 'history', runId: run.id })
    },
    rename: (run, name) => guarded(() => client.runs.rename.mutate({ runId: run.id, name })),
    trash: async (runs) => {
      await confirmlessUndo({
        text: `Moved ${what(runs)} to the trash`,
        act: () => move(runs, true),
        undo: () => move(runs, false),
      })
    },
    restore: async (runs) => {
      await confirmlessUndo({
        text: `Put back ${what(runs)}`,
        act: () => move(runs, false),
        undo: () => move(runs, true),
      })
    },
    resume: (run) =>
      guarded(async () => {
        const { runId } = await client.sweeps.resume.mutate({ runId: run.id })
        navigate({ screen: 'sweep', runId })
      }),
    setBaseline: (run) =>
      guarded(async () => {
        await settings.getState().change({ baselineRunId: run?.id ?? null })
        showDone(run === undefined ? 'No run is the baseline now' : `${run.name} is the baseline now`)
      }),
  }
}
