import type { SweepChange, SweepView } from '../../contract/sweeps.ts'
import { cellKey } from '../grid.ts'
import type { RunSaid } from '../run-parts.ts'

export const EVENTS_KEPT = 500
export const TELEMETRY_KEPT_MS = 600_000
/** Two a second: the last minute. */
export const RATES_KEPT = 120

/** A run as its screen sees it, and what has been said so far, from which the next line goes on. Never changed: each step makes a new one. */
export interface SweepModel {
  view: SweepView
  said: RunSaid
  /** What the facts said the last time: they are said again whenever a little more is known. */
  factsSaid: string
}

/** What one line changed. `reset`: something went away, which no change can say. */
export interface Step {
  model: SweepModel
  change: SweepChange
  reset: boolean
}

/** Takes a change into the view, as every reader does. */
export function applyChange(view: SweepView, change: SweepChange): SweepView {
  const next: SweepView = { ...view, ...change.head }
  if (change.cells !== undefined) next.cells = replaceBy(view.cells, change.cells, cellKey)
  if (change.prefill !== undefined) next.prefill = replaceBy(view.prefill, change.prefill, (row) => String(row.contextTokens))
  if (change.live === null) delete next.live
  else if (change.live !== undefined) next.live = change.live
  if (change.telemetry !== undefined) {
    const from = (change.telemetry.at(-1)?.t ?? 0) - TELEMETRY_KEPT_MS
    next.telemetry = [...view.telemetry, ...change.telemetry].filter((point) => point.t >= from)
  }
  if (change.events !== undefined) next.events = [...view.events, ...change.events].slice(-EVENTS_KEPT)
  return next
}

function replaceBy<Row>(rows: readonly Row[], changed: readonly Row[], keyOf: (row: Row) => string): Row[] {
  const byKey = new Map(changed.map((row) => [keyOf(row), row]))
  const next = rows.map((row) => {
    const key = keyOf(row)
    const other = byKey.get(key)
    byKey.delete(key)
    return other ?? row
  })
  return [...next, ...byKey.values()]
}

/** Two changes, the later one after the earlier, as one. */
export function mergeChanges(earlier: SweepChange, later: SweepChange): SweepChange {
  const merged: SweepChange = { ...earlier, ...later }
  if (earlier.head && later.head) merged.head = { ...earlier.head, ...later.head }
  if (earlier.cells && later.cells) merged.cells = replaceBy(earlier.cells, later.cells, cellKey)
  if (earlier.prefill && later.prefill) {
    merged.prefill = replaceBy(earlier.prefill, later.prefill, (row) => String(row.contextTokens))
  }
  if (earlier.telemetry && later.telemetry) merged.telemetry = [...earlier.telemetry, ...later.telemetry]
  if (earlier.events && later.events) merged.events = [...earlier.events, ...later.events]
  return merged
}

/** How much a change carries; a reader that is this far behind gets the whole view. */
export function weighChange({ telemetry, events }: SweepChange): number {
  return (telemetry?.length ?? 0) + (events?.length ?? 0)
}

export function isEmpty(change: SweepChange): boolean {
  return Object.keys(change).length === 0
}
