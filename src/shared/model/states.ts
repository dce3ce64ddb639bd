/** The sweep as a state machine: a pure table, obeyed by the driver and replayed by the engine (ARCHITECTURE.md, "The driver carries out the plan"). */
export const RUN_STATES = ['planned', 'preparing', 'running', 'paused', 'interrupted', 'finished', 'stopped', 'failed'] as const
export type RunState = (typeof RUN_STATES)[number]

const RUN_NEXT: Record<RunState, readonly RunState[]> = {
  planned: ['preparing', 'stopped', 'failed', 'interrupted'],
  preparing: ['running', 'finished', 'stopped', 'failed', 'interrupted'],
  running: ['paused', 'finished', 'stopped', 'failed', 'interrupted'],
  paused: ['running', 'stopped', 'failed', 'interrupted'],
  // By the person, a dead server, a lost link, a full disk, a dead driver: what is missing is pending, and
  // `resume` goes on from here: a new driver prepares and measures what is missing.
  interrupted: ['preparing', 'running', 'paused', 'stopped', 'failed', 'finished'],
  finished: ['preparing'], // a cell is measured again
  stopped: ['preparing'],
  failed: ['preparing'],
}

export function canRunGo(from: RunState, to: RunState): boolean {
  return RUN_NEXT[from].includes(to)
}

export function isRunOver(state: RunState): boolean {
  return state === 'finished' || state === 'stopped' || state === 'failed'
}

/** What a cell is doing. A cell ends in one of the statuses of cell.ts. */
export const CELL_PHASES = ['waiting', 'barrier', 'warmup', 'scout', 'fill', 'window', 'drain', 'done'] as const
export type CellPhase = (typeof CELL_PHASES)[number]

const CELL_NEXT: Record<CellPhase, readonly CellPhase[]> = {
  waiting: ['barrier', 'done'],
  barrier: ['warmup', 'scout', 'fill', 'done'],
  warmup: ['barrier', 'scout', 'fill', 'drain', 'done'],
  scout: ['fill', 'drain', 'done'],
  fill: ['window', 'drain', 'done'],
  window: ['drain', 'done'],
  drain: ['done'],
  done: [],
}

export function canCellGo(from: CellPhase, to: CellPhase): boolean {
  return CELL_NEXT[from].includes(to)
}
