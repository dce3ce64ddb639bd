import { setMaxListeners } from 'node:events'
import type { Control } from '../../../shared/model/job.ts'
import type { ErrorCode } from '../../../shared/model/error.ts'
import { Cut } from './cut.ts'

export interface CellName {
  contextTokens: number
  concurrency: number
}

interface LinkLosses {
  down: string | undefined
  isFinal: boolean
  losses: number
  lastReason: string
}

/** The person's wishes as they come in, and the signal of what they cut short. */
export interface Commands {
  take(control: Exclude<Control, { kind: 'ack' }>): void
  /** From the driver itself: no ack for too long, the engine died, a signal. */
  end(kind: 'stop' | 'interrupt', reason: string): void
  readonly paused: boolean
  /** Set once the run is to end. */
  readonly ending: { kind: 'stop' | 'interrupt'; reason: string } | undefined
  isSkipped(cell: CellName): boolean
  /** Cells to be measured again, oldest wish first; takes them. */
  takeRemeasures(): CellName[]
  /** A signal for one piece of work; aborts with a Cut. `cell` where the work belongs to one (skip). */
  begin(cell?: CellName): { signal: AbortSignal; cut: (cut: Cut) => void; end: () => void }
  /**
   * The tunnel broke: cuts the work at hand, and what begins meanwhile. `isFinal`: it won't come back. Only `linkUp` undoes it.
   */
  linkDown(reason: string, isFinal?: boolean): void
  linkUp(): void
  /** `lastReason`: of the latest loss, also when it is over. */
  readonly link: Readonly<LinkLosses>
  /** The work at hand has failed for a reason outside of it. */
  fail(message: string, code: ErrorCode): void
  /** Resolves when not paused any more or the run is to end. */
  whenGoing(): Promise<void>
  /** Rejects with a Cut once the run is to end; pausing doesn't matter to it. */
  untilEnding(): { ending: Promise<never>; end: () => void }
}

const sameCell = (a: CellName, b: CellName) => a.contextTokens === b.contextTokens && a.concurrency === b.concurrency

export function createCommands(): Commands {
  let paused = false
  let ending: { kind: 'stop' | 'interrupt'; reason: string } | undefined
  let work: { controller: AbortController; cell: CellName | undefined } | undefined
  const skipped: CellName[] = []
  const remeasures: CellName[] = []
  const waiting: (() => void)[] = []
  const listeners = new Set<() => void>()

  const link: LinkLosses = { down: undefined, isFinal: false, losses: 0, lastReason: '' }

  const abort = (cut: Cut) => work?.controller.abort(cut)
  const changed = () => {
    if (!paused || ending) for (const resolve of waiting.splice(0)) resolve()
    for (const listener of listeners) listener()
  }

  function end(kind: 'stop' | 'interrupt', reason: string): void {
    if (ending) return
    ending = { kind, reason }
    abort(new Cut({ kind, reason }))
    changed()
  }

  function skip(contextTokens: number | undefined, concurrency: number | undefined): void {
    const current = work?.cell
    if (contextTokens === undefined || concurrency === undefined) {
      if (current) abort(new Cut({ kind: 'skip' }))
      return
    }
    const cell = { contextTokens, concurrency }
    skipped.push(cell)
    if (current && sameCell(current, cell)) abort(new Cut({ kind: 'skip' }))
  }

  function remeasure(cell: CellName): void {
    const at = skipped.findIndex((other) => sameCell(other, cell))
    if (at >= 0) skipped.splice(at, 1)
    remeasures.push(cell)
  }

  return {
    take(control) {
      if (control.kind === 'pause' && !paused) {
        paused = true
        abort(new Cut({ kind: 'pause' }))
      } else if (control.kind === 'resume') paused = false
      else if (control.kind === 'stop') end('stop', 'stopped by the person')
      else if (control.kind === 'interrupt') end('interrupt', 'interrupted by the person')
      else if (control.kind === 'skip') skip(control.contextTokens, control.concurrency)
      else if (control.kind === 'remeasure') remeasure({ contextTokens: control.contextTokens, concurrency: control.concurrency })
      changed()
    },
    end,
    get paused() {
      return paused
    },
    get ending() {
      return ending
    },
    isSkipped: (cell) => skipped.some((other) => sameCell(other, cell)),
    takeRemeasures: () => remeasures.splice(0),
    begin(cell) {
      const controller = new AbortController()
      // One listener for each stream is meant.
      setMaxListeners(0, controller.signal)
      const mine = { controller, cell }
      work = mine
      if (ending) controller.abort(new Cut(ending))
      else if (paused) controller.abort(new Cut({ kind: 'pause' }))
      else if (link.down !== undefined) controller.abort(new Cut({ kind: 'link_lost', reason: link.down }))
      return {
        signal: controller.signal,
        cut: (cut) => controller.abort(cut),
        end: () => {
          if (work === mine) work = undefined
        },
      }
    },
    link,
    linkDown(reason, isFinal = false) {
      link.isFinal = isFinal
      if (link.down === undefined) link.losses += 1
      link.down = reason
      link.lastReason = reason
      abort(new Cut({ kind: 'link_lost', reason }))
    },
    linkUp() {
      link.down = undefined
      link.isFinal = false
    },
    fail: (message, code) => abort(new Cut({ kind: 'failed', message, code })),
    whenGoing: () => (paused && !ending ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve()),
    untilEnding() {
      let listener: () => void = () => undefined
      const promise = new Promise<never>((_, reject) => {
        listener = () => {
          if (ending) reject(new Cut(ending))
        }
        listeners.add(listener)
        listener()
      })
      promise.catch(() => undefined)
      return { ending: promise, end: () => listeners.delete(listener) }
    },
  }
}
