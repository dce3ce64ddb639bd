import type { LiveCell, SweepChange, SweepEvent, SweepView } from '../../contract/sweeps.ts'
import { isoTime } from '../../format/index.ts'
import type { SpoolLine } from '../../model/spool.ts'
import { isRunOver } from '../../model/states.ts'
import { outcomeOfAttempt, outcomeOfSettled } from '../outcome.ts'
import { spoolText } from '../line-text.ts'
import { applyChange, cellKey, RATES_KEPT, type Step, type SweepModel } from './model.ts'
import { changedRows, contextsOfModel, projectCells, projectPrefills } from './project.ts'

type Line<Kind extends SpoolLine['kind']> = Extract<SpoolLine, { kind: Kind }>
type Head = NonNullable<SweepChange['head']>

/** One spool line more. Pure: the same lines from the same start give the same view, whoever reads them. */
export function applyLine(model: SweepModel, line: SpoolLine): Step {
  return withEvent(applyKind(model, line), line)
}

function applyKind(model: SweepModel, line: SpoolLine): Step {
  const { view } = model
  switch (line.kind) {
    case 'hello':
      return toHead(model, {
        startedAt: view.startedAt ?? isoTime(line.t),
        error: undefined,
        ...(isPlace(line.place) ? { place: line.place } : {}),
      })
    case 'state':
      return toState(model, line, {})
    case 'end': {
      const step = toState(model, line, { remainingSeconds: undefined })
      return join(step, toChange(step.model, { live: null }))
    }
    case 'facts':
      return toFacts(model, line)
    case 'planned':
      return toPlanned(model, line)
    case 'prefill':
      return refreshPrefill({ ...model, prefills: [...model.prefills, line.result] })
    case 'cell':
      return toChange(model, { live: line.phase === 'done' ? null : livePhase(view.live, line) })
    case 'live':
      return toChange(model, { live: liveRate(view.live, line) })
    case 'attempt':
    case 'settled':
      return toOutcome(model, line)
    case 'sample': {
      const { t, gpus, metrics } = line
      return toChange(model, { telemetry: [{ t, ...(gpus ? { gpus } : {}), ...(metrics ? { metrics } : {}) }] })
    }
    case 'beat':
      return toHead(model, { doneCells: line.doneCells, totalCells: line.totalCells, remainingSeconds: line.remainingSeconds })
    default:
      return toChange(model, {})
  }
}

function toChange(model: SweepModel, change: SweepChange): Step {
  return { model: { ...model, view: applyChange(model.view, change) }, change, reset: false }
}

function join(first: Step, second: Step): Step {
  return { model: second.model, change: { ...first.change, ...second.change }, reset: first.reset || second.reset }
}

/** Fields that are the same are left out; one that is undefined goes away, which only a snapshot can say. */
function toHead(model: SweepModel, head: { [Key in keyof Head]: Head[Key] | undefined }): Step {
  const view: SweepView = { ...model.view }
  const changed: Head = {}
  let reset = false
  for (const [key, value] of Object.entries(head)) {
    const before = view[key as keyof Head]
    if (value === undefined) {
      if (before === undefined) continue
      reset = true
      delete view[key as keyof Head]
    } else if (JSON.stringify(before) !== JSON.stringify(value)) {
      Object.assign(changed, { [key]: value })
    }
  }
  Object.assign(view, changed)
  return { model: { ...model, view }, change: Object.keys(changed).length > 0 ? { head: changed } : {}, reset }
}

/** A state may change what a cell without an outcome says: pending while the run goes on, cancelled when it is over. */
function toState(model: SweepModel, line: Line<'state' | 'end'>, more: Parameters<typeof toHead>[1]): Step {
  const before = model.view
  const { state, reason, error } = line
  const ended = isRunOver(state) || state === 'interrupted'
  const finishedAt = ended ? isoTime(line.t) : undefined
  const step = toHead(model, { ...more, state, reason: reason ?? error?.cause, error, finishedAt })
  if (before.state === step.model.view.state && before.reason === step.model.view.reason) return step
  return join(step, refreshAll(step.model))
}

function refreshAll(model: SweepModel): Step {
  const cells = changedRows(model.view.cells, projectCells(model), cellKey)
  const prefill = changedRows(model.view.prefill, projectPrefills(model), (row) => String(row.contextTokens))
  return toChange(model, { ...(cells.length > 0 ? { cells } : {}), ...(prefill.length > 0 ? { prefill } : {}) })
}

function refreshPrefill(model: SweepModel): Step {
  const prefill = changedRows(model.view.prefill, projectPrefills(model), (row) => String(row.contextTokens))
  return toChange(model, prefill.length > 0 ? { prefill } : {})
}

function toFacts(model: SweepModel, { facts }: Line<'facts'>): Step {
  const { view } = model
  const { speculative = model.speculative, maxModelLen = model.maxModelLen } = facts
  const known = { ...model, speculative, ...(maxModelLen === undefined ? {} : { maxModelLen }) }
  const told = { ...known, view: { ...view, demo: view.demo || facts.demo === true } }
  const step = toContexts(told, { model: facts.model ?? facts.servedModel })
  return told.view.demo === view.demo ? step : { ...step, reset: true }
}

function toPlanned(model: SweepModel, line: Line<'planned'>): Step {
  const next = { ...model, planned: [...model.planned, line] }
  return toContexts(next, { totalCells: line.cells.length, remainingSeconds: line.estimateSeconds })
}

/** The rows of the grid may be others now: `max` is resolved. Cells of contexts that are no more go away. */
function toContexts(model: SweepModel, head: Parameters<typeof toHead>[1]): Step {
  const { contexts } = contextsOfModel(model)
  const step = toHead(model, { ...head, contexts })
  const { view } = step.model
  const cells = view.cells.filter((cell) => contexts.includes(cell.contextTokens))
  const trimmed = { ...step.model, view: { ...view, cells } }
  return join({ ...step, model: trimmed, reset: step.reset || cells.length < view.cells.length }, refreshAll(trimmed))
}

function toOutcome(model: SweepModel, line: Line<'attempt' | 'settled'>): Step {
  const outcome = line.kind === 'attempt' ? outcomeOfAttempt(line.record) : outcomeOfSettled(line)
  const next = { ...model, outcomes: [...model.outcomes, outcome] }
  const known = next.view.contexts.includes(outcome.contextTokens)
  const cells = known ? projectCells(next, outcome) : []
  const live = line.kind === 'attempt' && next.view.live !== undefined ? { live: null } : {}
  return toChange(next, { ...(cells.length > 0 ? { cells } : {}), ...live })
}

function livePhase(live: LiveCell | undefined, line: Line<'cell'>): LiveCell {
  const { contextTokens, concurrency, repeat, phase, detail } = line
  const base = { contextTokens, concurrency, repeat, phase, ...(detail === undefined ? {} : { detail }) }
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
    ...(same ? live : { repeat: 1 }),
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

/** The line in words, for the event log. */
function withEvent(step: Step, line: SpoolLine): Step {
  const event = eventOf(line)
  if (event === undefined) return step
  if (line.kind === 'facts') {
    if (step.model.factsSaid.startsWith(event.text)) return step
    step = { ...step, model: { ...step.model, factsSaid: event.text } }
  }
  return join(step, toChange(step.model, { events: [event] }))
}

/** undefined for a line that says nothing to people. */
export function eventOf(line: SpoolLine): SweepEvent | undefined {
  const text = spoolText(line)
  return text === undefined ? undefined : { at: isoTime(line.t), level: levelOf(line), text }
}

function levelOf(line: SpoolLine): SweepEvent['level'] {
  if (line.kind === 'event') return line.level
  if (line.kind === 'state' || line.kind === 'end') {
    return line.state === 'failed' ? 'error' : line.state === 'interrupted' ? 'warn' : 'info'
  }
  const status = line.kind === 'attempt' ? line.record.status : line.kind === 'prefill' ? line.result.status : undefined
  return status === 'error' ? 'error' : status === 'looped' ? 'warn' : 'info'
}

const isPlace = (place: string): place is NonNullable<SweepView['place']> => ['host', 'tunnel', 'local'].includes(place)
