import type { Link } from './link-text.ts'
import type { CellStatus, Flag } from '../../../shared/model/cell.ts'
import type { RunDocument } from '../../../shared/model/run.ts'
import type { SpoolLine } from '../../../shared/model/spool.ts'
import type { CellPhase, RunState } from '../../../shared/model/states.ts'
import type { GpuSample, MetricsSample } from '../../../shared/model/telemetry.ts'

export interface CellView {
  status: CellStatus
  reason?: string
  totalTokensPerSecond?: number
  eventsPerSecond?: number
  ttftMs?: number
  flags: Flag[]
}

export interface CurrentCell {
  contextTokens: number
  concurrency: number
  repeat: number
  attempt: number
  phase: CellPhase
  detail?: string
  tokensPerSecond?: number
  activeStreams?: number
  windowSeconds?: number
}

export interface EventLine {
  atMs: number
  level: 'info' | 'warn' | 'error'
  text: string
}

/** Everything the live grid shows; grown from spool lines only, so that a resumed run shows what it had. */
export interface LiveState {
  runId: string
  runName: string
  hostName: string
  demo: boolean
  model?: string
  place: string
  planSeconds: number
  state: RunState
  reason?: string
  contexts: number[]
  concurrency: number[]
  cells: Map<string, CellView>
  prefills: Map<number, { ttftMs?: number; tokensPerSecond?: number; status: CellStatus }>
  current?: CurrentCell
  preparing?: string
  gpus: GpuSample[]
  /** Memory of each GPU by index, from the host's inventory. */
  gpuMemoryMiB: Map<number, number>
  gpuNames: Map<number, string>
  metrics?: MetricsSample
  events: EventLine[]
  startedAtMs?: number
  endedAtMs?: number
  doneCells: number
  totalCells: number
  remainingSeconds?: number
  /** When remainingSeconds was said (wall clock), to count down between beats. */
  beatAtMs?: number
  link?: Link
}

const EVENTS_KEPT = 50

export const cellKey = (contextTokens: number, concurrency: number) => `${contextTokens}x${concurrency}`

/** The state before the driver has said anything: what the stored run and its plan tell. */
export function liveStateOf(document: RunDocument, place: string): LiveState {
  const { plan } = document
  const state: LiveState = {
    runId: document.id,
    runName: document.name,
    hostName: document.host?.name ?? '',
    demo: document.demo,
    place,
    planSeconds: plan.seconds,
    state: document.state,
    contexts: plan.contexts.filter((context) => context !== 'max'),
    concurrency: plan.concurrency,
    cells: new Map(),
    prefills: new Map(),
    gpus: [],
    gpuMemoryMiB: new Map(),
    gpuNames: new Map(),
    events: [],
    doneCells: 0,
    totalCells: plan.contexts.length * plan.concurrency.length * plan.repeats,
  }
  const model = document.engine?.model ?? document.engine?.servedModel
  if (model) state.model = model
  for (const gpu of document.hardware?.gpus ?? []) {
    state.gpuNames.set(gpu.index, gpu.name)
    if (gpu.memoryMiB !== undefined) state.gpuMemoryMiB.set(gpu.index, gpu.memoryMiB)
  }
  return state
}

/** A finished run → the state whose grid shows it. */
export function finishedState(document: RunDocument): LiveState {
  const state = liveStateOf(document, document.path.driver)
  state.contexts = unique(document.cells.map((cell) => cell.contextTokens))
  state.concurrency = unique(document.cells.map((cell) => cell.concurrency))
  for (const cell of document.cells) state.cells.set(cellKey(cell.contextTokens, cell.concurrency), cell)
  for (const row of document.prefill) state.prefills.set(row.contextTokens, row)
  state.doneCells = document.cells.filter((cell) => cell.status !== 'pending').length
  state.totalCells = document.cells.length
  return state
}

const unique = (values: number[]) => [...new Set(values)]

/** One spool line more. Changes `state`. */
export function applyLine(state: LiveState, line: SpoolLine): void {
  switch (line.kind) {
    case 'hello':
      state.startedAtMs ??= line.t
      delete state.endedAtMs
      return
    case 'state':
      state.state = line.state
      return setReason(state, line.reason)
    case 'facts':
      state.model = line.facts.model ?? line.facts.servedModel
      state.demo ||= line.facts.demo === true
      return
    case 'planned':
      return applyPlanned(state, line)
    case 'prompt':
    case 'prefill':
    case 'cell':
    case 'live':
    case 'attempt':
    case 'settled':
      return applyCellLine(state, line)
    case 'sample':
      if (line.gpus) state.gpus = line.gpus
      if (line.metrics) state.metrics = { ...state.metrics, ...line.metrics }
      return
    case 'event':
      state.events.push({ atMs: line.t, level: line.level, text: line.text })
      if (state.events.length > EVENTS_KEPT) state.events.shift()
      return
    case 'beat':
      state.doneCells = line.doneCells
      state.totalCells = line.totalCells
      state.beatAtMs = line.t
      if (line.remainingSeconds === undefined) delete state.remainingSeconds
      else state.remainingSeconds = line.remainingSeconds
      return
    case 'end':
      state.state = line.state
      state.endedAtMs = line.t
      delete state.current
      return setReason(state, line.reason)
  }
}

function setReason(state: LiveState, reason: string | undefined): void {
  if (reason === undefined) delete state.reason
  else state.reason = reason
}

function applyPlanned(state: LiveState, line: Extract<SpoolLine, { kind: 'planned' }>): void {
  state.contexts = line.contexts
  state.concurrency = unique(line.cells.map((cell) => cell.concurrency))
  state.remainingSeconds = line.estimateSeconds
  state.beatAtMs = line.t
  state.totalCells = line.cells.length
  for (const cell of line.cells) {
    const key = cellKey(cell.contextTokens, cell.concurrency)
    if (cell.verdict === 'over_capacity')
      state.cells.set(key, { status: 'over_capacity', flags: [], ...(cell.reason && { reason: cell.reason }) })
    else if (!state.cells.has(key)) state.cells.set(key, { status: 'pending', flags: [] })
  }
}

type CellLine = Extract<SpoolLine, { kind: 'prompt' | 'prefill' | 'cell' | 'live' | 'attempt' | 'settled' }>

function applyCellLine(state: LiveState, line: CellLine): void {
  if (line.kind === 'prompt') {
    state.preparing = `prompt of ${line.countedTokens} tokens built`
  } else if (line.kind === 'prefill') {
    state.prefills.set(line.result.contextTokens, line.result)
    state.preparing = 'prefill'
  } else if (line.kind === 'cell') {
    delete state.preparing
    if (line.phase === 'done') return void delete state.current
    const { contextTokens, concurrency, repeat, attempt, phase, detail } = line
    const same =
      state.current && cellKey(state.current.contextTokens, state.current.concurrency) === cellKey(contextTokens, concurrency)
    const rate = same && phase !== 'barrier' ? state.current?.tokensPerSecond : undefined
    state.current = {
      contextTokens,
      concurrency,
      repeat,
      attempt,
      phase,
      ...(detail && { detail }),
      ...(rate !== undefined && { tokensPerSecond: rate }),
    }
  } else if (line.kind === 'live') {
    const { contextTokens, concurrency, phase, tokensPerSecond, activeStreams, windowSeconds } = line
    state.current = {
      repeat: 1,
      attempt: 1,
      ...state.current,
      contextTokens,
      concurrency,
      phase,
      tokensPerSecond,
      activeStreams,
      windowSeconds,
    }
  } else if (line.kind === 'attempt') {
    const { contextTokens, concurrency, status, reason, flags, figures, cutBy } = line.record
    const { totalTokensPerSecond, eventsPerSecond, ttftMs } = figures
    state.cells.set(cellKey(contextTokens, concurrency), {
      // Broken off by link or server, and measured again.
      status: status === 'cancelled' && cutBy !== undefined ? 'pending' : status,
      flags,
      ...(reason && { reason }),
      ...(status === 'valid' && totalTokensPerSecond !== undefined && { totalTokensPerSecond }),
      ...(status === 'valid' && eventsPerSecond !== undefined && { eventsPerSecond }),
      ...(status === 'valid' && ttftMs !== undefined && { ttftMs }),
    })
    delete state.current
  } else {
    state.cells.set(cellKey(line.contextTokens, line.concurrency), { status: line.status, reason: line.reason, flags: [] })
  }
}
