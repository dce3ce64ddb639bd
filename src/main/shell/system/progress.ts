import type { AttachedSweep } from '../../../shared/contract/engine-process.ts'

interface Progress {
  /** 0 … 1; 2 is Electron's word for "somewhere"; −1 takes the bar away. */
  value: number
  mode: 'none' | 'normal' | 'indeterminate' | 'paused'
}

/** The taskbar's bar for all sweeps together. */
export function progressOf(sweeps: readonly AttachedSweep[]): Progress {
  const going = sweeps.filter(({ state }) => state === 'preparing' || state === 'running' || state === 'paused')
  if (going.length === 0) return { value: -1, mode: 'none' }
  const total = going.reduce((sum, { totalCells }) => sum + (totalCells ?? 0), 0)
  if (total === 0) return { value: 2, mode: 'indeterminate' }
  const done = going.reduce((sum, { doneCells }) => sum + (doneCells ?? 0), 0)
  return { value: Math.min(1, done / total), mode: going.every(({ state }) => state === 'paused') ? 'paused' : 'normal' }
}

/** Sweeps that stop when this machine sleeps or the engine ends. */
export const needingThisMachine = (sweeps: readonly AttachedSweep[]) =>
  sweeps.filter(
    ({ state, needsThisMachine }) => needsThisMachine && (state === 'preparing' || state === 'running' || state === 'paused'),
  )
