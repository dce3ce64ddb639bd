import type { LiveCell, SweepChange, SweepEvent, SweepView, TelemetryPoint } from '../../../../shared/contract/sweeps.ts'
import type { CellRow, PrefillRow } from '../../../../shared/model/run.ts'
import { EVENTS_KEPT, TELEMETRY_KEPT_MS } from '../../../../shared/run/index.ts'

export type CellKey = string

export const cellKey = (contextTokens: number, concurrency: number): CellKey => `${contextTokens}x${concurrency}`

/** What the head line of a sweep needs; cells, telemetry and events stand apart so that a cell's change re-renders one cell. */
export type SweepHead = Omit<SweepView, 'cells' | 'prefill' | 'live' | 'telemetry' | 'events'>

export interface SweepState {
  head: SweepHead
  cells: ReadonlyMap<CellKey, CellRow>
  prefill: ReadonlyMap<number, PrefillRow>
  live: LiveCell | undefined
  telemetry: readonly TelemetryPoint[]
  events: readonly SweepEvent[]
  /** Events dropped at the front, so that a list's keys stay put. */
  eventsDropped: number
}

export function sweepStateOf(view: SweepView): SweepState {
  const { cells, prefill, live, telemetry, events, ...head } = view
  return {
    head,
    cells: new Map(cells.map((row) => [cellKey(row.contextTokens, row.concurrency), row])),
    prefill: new Map(prefill.map((row) => [row.contextTokens, row])),
    live,
    telemetry,
    events,
    eventsDropped: 0,
  }
}

/** Keeps the identity of everything that did not change: selectors compare by identity. */
export function applySweepChange(state: SweepState, change: SweepChange): SweepState {
  return {
    head: change.head ? { ...state.head, ...change.head } : state.head,
    cells: change.cells?.length
      ? upsert(state.cells, change.cells, (row) => cellKey(row.contextTokens, row.concurrency))
      : state.cells,
    prefill: change.prefill?.length ? upsert(state.prefill, change.prefill, (row) => row.contextTokens) : state.prefill,
    live: change.live === undefined ? state.live : (change.live ?? undefined),
    telemetry: change.telemetry?.length ? recent([...state.telemetry, ...change.telemetry]) : state.telemetry,
    ...grownEvents(state, change.events),
  }
}

function upsert<Key, Row>(rows: ReadonlyMap<Key, Row>, changed: readonly Row[], keyOf: (row: Row) => Key): ReadonlyMap<Key, Row> {
  const next = new Map(rows)
  for (const row of changed) next.set(keyOf(row), row)
  return next
}

function recent(points: TelemetryPoint[]): TelemetryPoint[] {
  const from = (points.at(-1)?.t ?? 0) - TELEMETRY_KEPT_MS
  const first = points.findIndex((point) => point.t >= from)
  return first > 0 ? points.slice(first) : points
}

function grownEvents(state: SweepState, more: readonly SweepEvent[] | undefined): Pick<SweepState, 'events' | 'eventsDropped'> {
  if (!more?.length) return { events: state.events, eventsDropped: state.eventsDropped }
  const events = [...state.events, ...more]
  const surplus = Math.max(0, events.length - EVENTS_KEPT)
  return { events: surplus > 0 ? events.slice(surplus) : events, eventsDropped: state.eventsDropped + surplus }
}

/** Rows and columns as the grid shows them: ascending, whatever order they are measured in. */
export const ascending = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b)
