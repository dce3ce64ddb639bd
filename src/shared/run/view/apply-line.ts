import type { LiveCell, SweepChange, SweepEvent, SweepView } from '../../contract/sweeps.ts'
import { isoTime } from '../../format/index.ts'
import type { SpoolLine } from '../../model/spool.ts'
import { cellKey, cellRows, contextsOf, countCells, describeUndone, prefillRows } from '../grid.ts'
import { spoolText } from '../line-text.ts'
import { outcomeOf } from '../outcome.ts'
import { type Doubt, headAfter, modelOf } from '../run-head.ts'
import type { RunSaid } from '../run-parts.ts'
import { applyChange, RATES_KEPT, type Step, type SweepModel } from './model.ts'

type Line<Kind extends SpoolLine['kind']> = Extract<SpoolLine, { kind: Kind }>
type Head = NonNullable<SweepChange['head']>
type HeadFields = { [Key in keyof Head]: Head[Key] | undefined }

/** One spool line more. Pure: the same lines from the same start give the same view, whoever reads them. */
export function applyLine(model: SweepModel, line: SpoolLine): Step {
  const { said, doubts } = saidAfter(model.said, line)
  const fields = { ...(said === model.said ? {} : headOf(said)), ...momentOf(line) }
  const { head, gone } = differences(model.view, fields)
  const before = { ...model.view, demo: model.view.demo || said.demo }
  for (const key of gone) delete before[key]
  const change: SweepChange = head === undefined ? {} : { head }
  // Rows of contexts that are no more go away, and others stand where they stand in the grid.
  const otherRows = head?.contexts !== undefined
  if (otherRows) before.cells = cellRows(said)
  else if (said !== model.said) {
    const cells = changedRows(before.cells, cellRows(said, triedCell(line)), cellKey)
    if (cells.length > 0) change.cells = cells
  }
  if (said !== model.said && triedCell(line) === undefined) {
    const prefill = changedRows(before.prefill, prefillRows(said), (row) => String(row.contextTokens))
    if (prefill.length > 0) change.prefill = prefill
  }
  const live = liveAfter(before.live, line)
  if (live !== before.live) change.live = live ?? null
  if (line.kind === 'sample') {
    const { t, gpus, metrics } = line
    change.telemetry = [{ t, ...(gpus ? { gpus } : {}), ...(metrics ? { metrics } : {}) }]
  }
  const { event, factsSaid } = newsOf(line, model.factsSaid)
  const events = [...(event === undefined ? [] : [event]), ...doubts.map((doubt) => ({ at: isoTime(line.t), ...doubt }))]
  if (events.length > 0) change.events = events
  return {
    model: { view: applyChange(before, change), said, factsSaid },
    change,
    reset: gone.length > 0 || otherRows || before.demo !== model.view.demo,
  }
}

/** What has been said, with this line. The same object where the line says nothing that stays. */
function saidAfter(said: RunSaid, line: SpoolLine): { said: RunSaid; doubts: Doubt[] } {
  switch (line.kind) {
    case 'planned':
      return { said: { ...said, planned: [...said.planned, line] }, doubts: [] }
    case 'prefill':
      return { said: { ...said, prefills: [...said.prefills, line.result] }, doubts: [] }
    case 'attempt':
    case 'settled':
      return { said: { ...said, outcomes: [...said.outcomes, outcomeOf(line)] }, doubts: [] }
    default: {
      const { head, doubts } = headAfter(said, line, () => describeUndone(said))
      return { said: head, doubts }
    }
  }
}

/** The head of a view, as far as it follows from what has been said. */
export function headOf(said: RunSaid) {
  const { state, reason, startedAt, finishedAt, place } = said
  const { contexts } = contextsOf(said)
  return { state, reason, startedAt, finishedAt, place, model: modelOf(said.engine), contexts, ...countCells(said) }
}

/** What a line says of the moment, and is not kept. */
function momentOf(line: SpoolLine): HeadFields {
  switch (line.kind) {
    case 'hello':
      return { error: undefined }
    case 'state':
      return { error: line.error }
    case 'end':
      return { error: line.error, remainingSeconds: undefined }
    case 'planned':
      return { remainingSeconds: line.estimateSeconds }
    case 'beat':
      return { remainingSeconds: line.remainingSeconds }
    default:
      return {}
  }
}

/** Fields that are the same are left out; that one is gone can only be said by a snapshot. */
function differences(view: SweepView, fields: HeadFields): { head?: Head; gone: (keyof HeadFields & keyof SweepView)[] } {
  const changed = Object.entries(fields).filter(
    ([key, value]) => JSON.stringify(view[key as keyof Head]) !== JSON.stringify(value),
  )
  const here = changed.filter(([, value]) => value !== undefined)
  const gone = changed.filter(([, value]) => value === undefined).map(([key]) => key as keyof Head)
  return { gone, ...(here.length > 0 ? { head: Object.fromEntries(here) } : {}) }
}

const triedCell = (line: SpoolLine) => (line.kind === 'attempt' ? line.record : line.kind === 'settled' ? line : undefined)

/** Those rows that are not as they were. */
function changedRows<Row>(before: readonly Row[], after: readonly Row[], keyOf: (row: Row) => string): Row[] {
  const known = new Map(before.map((row) => [keyOf(row), JSON.stringify(row)]))
  return after.filter((row) => known.get(keyOf(row)) !== JSON.stringify(row))
}

function liveAfter(live: LiveCell | undefined, line: SpoolLine): LiveCell | undefined {
  switch (line.kind) {
    case 'cell':
      return line.phase === 'done' ? undefined : livePhase(live, line)
    case 'live':
      return liveRate(live, line)
    case 'attempt':
    case 'end':
      return undefined
    default:
      return live
  }
}

function livePhase(live: LiveCell | undefined, line: Line<'cell'>): LiveCell {
  const { contextTokens, concurrency, repeat, attempt, phase, detail } = line
  const base = { contextTokens, concurrency, repeat, attempt, phase, ...(detail === undefined ? {} : { detail }) }
  const same = live !== undefined && cellKey(live) === cellKey(line) && live.repeat === repeat && phase !== 'barrier'
  if (!same) return { ...base, recentRates: [] }
  const { detail: _before, ...rest } = live
  return { ...rest, ...base }
}

function liveRate(live: LiveCell | undefined, line: Line<'live'>): LiveCell {
  const { contextTokens, concurrency, phase, tokensPerSecond, activeStreams, windowSeconds, outputTokens } = line
  const same = live !== undefined && cellKey(live) === cellKey(line)
  const rates = same ? live.recentRates : []
  return {
    ...(same ? live : { repeat: 1, attempt: 1 }),
    contextTokens,
    concurrency,
    phase,
    tokensPerSecond,
    activeStreams,
    windowSeconds,
    outputTokens,
    recentRates: [...rates, tokensPerSecond].slice(-RATES_KEPT),
  }
}

/** A line in words, where it says something new to people. Facts come again when a stream has told more; most of that isn't in words. */
export function newsOf(line: SpoolLine, factsSaid: string): { event?: SweepEvent; factsSaid: string } {
  const text = spoolText(line)
  if (text === undefined || (line.kind === 'facts' && factsSaid.startsWith(text))) return { factsSaid }
  const event: SweepEvent = { at: isoTime(line.t), level: levelOf(line), text }
  if (line.kind !== 'event') event.isShownElsewhere = true
  return { event, factsSaid: line.kind === 'facts' ? text : factsSaid }
}

function levelOf(line: SpoolLine): SweepEvent['level'] {
  if (line.kind === 'event') return line.level
  if (line.kind === 'state' || line.kind === 'end') {
    return line.state === 'failed' ? 'error' : line.state === 'interrupted' ? 'warn' : 'info'
  }
  const status = line.kind === 'attempt' ? line.record.status : line.kind === 'prefill' ? line.result.status : undefined
  return status === 'error' ? 'error' : status === 'looped' ? 'warn' : 'info'
}
