import { type RunState } from '../../../../shared/model/states.ts'

/** What can be asked of a run in a state. */
export interface Possible {
  pause: boolean
  /** After a pause. */
  goOn: boolean
  skip: boolean
  stop: boolean
  /** After an interruption or an end with cells missing: a new driver measures them. */
  resume: boolean
  remeasure: boolean
}

export function possible(state: RunState, link: string, missingCells: number): Possible {
  const going = state === 'running' || state === 'preparing'
  const attached = link !== 'driver_gone' && link !== 'not_attached'
  return {
    pause: state === 'running' && attached,
    goOn: state === 'paused' && attached,
    skip: (state === 'running' || state === 'paused') && attached,
    stop: (going || state === 'paused') && attached,
    resume:
      state === 'interrupted' ||
      link === 'driver_gone' ||
      ((state === 'stopped' || state === 'failed') && missingCells > 0) ||
      (link === 'not_attached' && (going || state === 'paused')),
    remeasure: state !== 'planned' && state !== 'preparing',
  }
}
