import type { LiveCell, SweepChange, SweepView } from '../../../shared/contract/sweeps.ts'
import type { CellPhase } from '../../../shared/model/states.ts'
import { applyChange } from '../../../shared/run/index.ts'
import {
  cellRow,
  CONCURRENCY,
  CONTEXTS,
  figuresOf,
  noise,
  prefillRow,
  telemetry,
  telemetryPoint,
  verdictOf,
} from './cells-data.ts'
import { createFakeFeed } from './feed.ts'
import { RUNNING_ID } from './runs-data.ts'

const WINDOW_SECONDS = 10
const PHASES: readonly (readonly [CellPhase, number])[] = [
  ['barrier', 0.5],
  ['warmup', 0.5],
  ['scout', 1],
  ['fill', 1.5],
  ['window', WINDOW_SECONDS],
  ['drain', 0.5],
]

const sameCell = (one: { contextTokens: number; concurrency: number }, other: { contextTokens: number; concurrency: number }) =>
  one.contextTokens === other.contextTokens && one.concurrency === other.concurrency

/** Published order: the first column, the first row, then row by row. */
const ORDER = [
  ...CONTEXTS.map((contextTokens) => ({ contextTokens, concurrency: 1 })),
  ...CONCURRENCY.slice(1).map((concurrency) => ({ contextTokens: 0, concurrency })),
  ...CONTEXTS.slice(1).flatMap((contextTokens) => CONCURRENCY.slice(1).map((concurrency) => ({ contextTokens, concurrency }))),
]
const TO_RUN = ORDER.filter(({ contextTokens, concurrency }) => verdictOf(contextTokens, concurrency) !== 'over')

export function initialView(doneCells: number): SweepView {
  const done = TO_RUN.slice(0, doneCells)
  return {
    runId: RUNNING_ID,
    name: 'Qwen3.5-27B-FP8 night sweep',
    state: 'running',
    demo: false,
    host: 'gpu-lab-1',
    model: 'Qwen/Qwen3.5-27B-FP8',
    place: 'host',
    link: 'reading',
    contexts: CONTEXTS,
    concurrency: CONCURRENCY,
    windowSeconds: WINDOW_SECONDS,
    cells: CONTEXTS.flatMap((contextTokens) =>
      CONCURRENCY.map((concurrency) =>
        cellRow(
          contextTokens,
          concurrency,
          done.some((it) => sameCell(it, { contextTokens, concurrency })),
        ),
      ),
    ),
    prefill: CONTEXTS.slice(1).map((contextTokens) => prefillRow(contextTokens, true)),
    doneCells: doneCells + ORDER.length - TO_RUN.length,
    totalCells: ORDER.length,
    remainingSeconds: (TO_RUN.length - doneCells) * (WINDOW_SECONDS + 4),
    startedAt: new Date(Date.now() - 94 * 60_000).toISOString(),
    telemetry: telemetry(600, 16),
    events: [
      {
        at: new Date(Date.now() - 94 * 60_000).toISOString(),
        level: 'info',
        text: 'Driver started on gpu-lab-1 with Node v24.22.3.',
      },
      {
        at: new Date(Date.now() - 93 * 60_000).toISOString(),
        level: 'info',
        text: 'vLLM 0.24.1 serves Qwen/Qwen3.5-27B-FP8, 1,250,000 KV tokens.',
      },
      {
        at: new Date(Date.now() - 41 * 60_000).toISOString(),
        level: 'warn',
        text: '16K × 12: HTTP 500 from the server, the cell is an error.',
      },
      { at: new Date(Date.now() - 40 * 60_000).toISOString(), level: 'info', text: 'Going on with the next cell.' },
    ],
  }
}

/** A sweep that really goes on while somebody looks: phases, live rate, finished cells, telemetry, pause and stop. */
export function createLiveSweep({ doneCells = 84, everyMs = 250 }: { doneCells?: number; everyMs?: number } = {}) {
  const feed = createFakeFeed<SweepView, SweepChange>(initialView(doneCells), applyChange)
  let at = doneCells
  let elapsed = 0
  let recent: number[] = []
  const say = (text: string, level: 'info' | 'warn' = 'info') => [{ at: new Date().toISOString(), level, text }]
  const total = PHASES.reduce((sum, [, seconds]) => sum + seconds, 0)

  const liveOf = (cell: { contextTokens: number; concurrency: number }): LiveCell => {
    let left = elapsed
    const phase = PHASES.find(([, seconds]) => (left -= seconds) < 0)?.[0] ?? 'drain'
    const rate =
      (figuresOf(cell.contextTokens, cell.concurrency).totalTokensPerSecond ?? 0) *
      (phase === 'window' ? 1 : 0.7) *
      (1 + noise(elapsed, at) * 0.06)
    if (phase === 'fill' || phase === 'window') recent = [...recent, rate].slice(-60)
    const windowSeconds = Math.min(WINDOW_SECONDS, Math.max(0, elapsed - 3.5))
    return {
      ...cell,
      repeat: 1,
      attempt: 1,
      phase,
      ...(phase === 'fill'
        ? { detail: `${String(cell.concurrency - 1)} of ${String(cell.concurrency)} streams have output` }
        : {}),
      tokensPerSecond: rate,
      activeStreams: cell.concurrency,
      windowSeconds,
      outputTokens: Math.round(rate * windowSeconds),
      recentRates: recent,
    }
  }
  const tick = () => {
    if (feed.value.state !== 'running') return
    const cell = TO_RUN[at]
    if (cell === undefined) {
      feed.push({
        head: { state: 'finished', remainingSeconds: 0, finishedAt: new Date().toISOString() },
        live: null,
        events: say('All cells are measured.'),
      })
      return
    }
    elapsed += everyMs / 1000
    const samples =
      Math.floor(elapsed) === Math.floor(elapsed - everyMs / 1000)
        ? {}
        : { telemetry: [telemetryPoint(Date.now(), cell.concurrency)] }
    if (elapsed < total) {
      feed.push({ live: liveOf(cell), head: { remainingSeconds: (TO_RUN.length - at) * total - elapsed }, ...samples })
      return
    }
    at += 1
    elapsed = 0
    recent = []
    const row = cellRow(cell.contextTokens, cell.concurrency, true)
    feed.push({
      cells: [row],
      live: null,
      head: { doneCells: feed.value.doneCells + 1 },
      events: say(`${String(cell.contextTokens)} × ${String(cell.concurrency)}: ${row.status}`),
      ...samples,
    })
  }
  const timer = setInterval(tick, everyMs)
  return {
    feed,
    control: (
      kind: 'pause' | 'resume' | 'stop' | 'interrupt' | 'skip' | 'remeasure',
      cell?: { contextTokens?: number | undefined; concurrency?: number | undefined },
    ) => {
      if (kind === 'pause')
        feed.push({
          head: { state: 'paused', reason: 'paused by the person' },
          live: null,
          events: say('Paused. The cell is measured again on resume.'),
        })
      if (kind === 'resume') feed.push({ head: { state: 'running' }, events: say('Resumed.') })
      if (kind === 'stop')
        feed.push({
          head: { state: 'stopped', reason: 'stopped by the person', finishedAt: new Date().toISOString() },
          live: null,
          cells: feed.value.cells
            .filter((row) => row.status === 'pending')
            .map((row) => ({ ...row, status: 'cancelled', reason: 'the run was stopped' })),
          events: say('Stopped.'),
        })
      if (kind === 'skip' || kind === 'remeasure') {
        const hit = feed.value.cells.filter(
          (row) =>
            (cell?.contextTokens === undefined || row.contextTokens === cell.contextTokens) &&
            (cell?.concurrency === undefined || row.concurrency === cell.concurrency) &&
            (kind === 'remeasure' || row.status === 'pending'),
        )
        feed.push({
          cells: hit.map((row) =>
            kind === 'skip'
              ? { ...row, status: 'skipped', reason: 'skipped by the person' }
              : {
                  contextTokens: row.contextTokens,
                  concurrency: row.concurrency,
                  flags: [],
                  status: 'pending',
                  attempts: row.attempts,
                },
          ),
          events: say(`${kind === 'skip' ? 'Skipped' : 'Will measure again'}: ${String(hit.length)} cells.`),
        })
      }
    },
    dispose: () => {
      clearInterval(timer)
    },
  }
}
export type LiveSweep = ReturnType<typeof createLiveSweep>
