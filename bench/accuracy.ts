// Total tok/s, TTFT and time between tokens as the whole driver, its client alone and a plain httpx reader measure them, against what
// the stand-in really sent.
// node bench/accuracy.ts [--seconds=10]
import {
  DRIVER_READER,
  median,
  percentile,
  read,
  seconds,
  startTruthServer,
  table,
  tokensSent,
  latenessMs,
  type Reading,
  type ReaderKind,
  type Truth,
} from './harness.ts'
import { httpxReader } from './httpx.ts'
import { runWholeDriver } from './whole-driver.ts'

const windowSeconds = seconds(10)
const LEVELS = [
  { streams: 1, eventsPerSecond: 200 },
  { streams: 32, eventsPerSecond: 4000 },
  { streams: 64, eventsPerSecond: 8000 },
  { streams: 128, eventsPerSecond: 15_000 },
]

type Level = (typeof LEVELS)[number]

interface Pair {
  /** From the reader's start to the stand-in's receipt, and from its first event to the reader's stamp. */
  sendMs: number
  readMs: number
  ttftMs: number
  trueTtftMs: number
  itlMs: number
  trueItlMs: number
}

/** Requests that both sides know from beginning to end. */
function pairs(truth: Truth, reading: Reading): Pair[] {
  const known = new Map(truth.requests.map((request) => [request.user, request]))
  return reading.requests.flatMap((request) => {
    const sent = known.get(request.user)
    if (!request.completed || !sent || sent.firstNs === undefined || sent.lastNs === undefined) return []
    if (request.firstNs === undefined || request.lastNs === undefined) return []
    const steps = request.tokens - (request.firstTokens ?? 1)
    return {
      sendMs: (sent.receivedNs - request.startNs) / 1e6,
      readMs: (request.firstNs - sent.firstNs) / 1e6,
      ttftMs: (request.firstNs - request.startNs) / 1e6,
      trueTtftMs: (sent.firstNs - sent.receivedNs) / 1e6,
      itlMs: (request.lastNs - request.firstNs) / 1e6 / steps,
      trueItlMs: (sent.lastNs - sent.firstNs) / 1e6 / steps,
    }
  })
}

const percent = (value: number): string => `${value >= 0 ? '+' : ''}${(value * 100).toFixed(3)} %`

async function measure(kind: ReaderKind, level: Level, tokensPerEvent: number): Promise<string[]> {
  const server = await startTruthServer({ slots: level.streams, eventsPerSecond: level.eventsPerSecond, tokensPerEvent })
  try {
    const maxTokens = tokensOf(level, tokensPerEvent)
    const reading = await read(kind, { port: server.port, streams: level.streams, windowSeconds, maxTokens })
    const truth = await server.truth()
    const sent = tokensSent(truth, reading)
    const span = (reading.closeNs - reading.openNs) / 1e9
    const both = pairs(truth, reading)
    const middle = (key: keyof Pair): number => median(both.map((pair) => pair[key]))
    const late = latenessMs(truth, reading)
    return [
      kind === DRIVER_READER ? 'client' : 'httpx',
      `${level.streams}`,
      `${level.eventsPerSecond}${tokensPerEvent > 1 ? ` × ${tokensPerEvent}` : ''}`,
      (reading.tokens / span).toFixed(1),
      percent(reading.tokens / sent - 1),
      `${both.length}`,
      (middle('ttftMs') - middle('trueTtftMs')).toFixed(3),
      `${middle('sendMs').toFixed(2)} + ${middle('readMs').toFixed(2)}`,
      middle('itlMs').toFixed(3),
      percent(middle('itlMs') / middle('trueItlMs') - 1),
      percentile(late, 0.5).toFixed(2),
      percentile(late, 0.99).toFixed(2),
    ]
  } finally {
    server.stop()
  }
}

/** Several requests a stream inside the window. */
const tokensOf = (level: Level, tokensPerEvent: number): number =>
  Math.max(32, Math.round((level.eventsPerSecond / level.streams) * tokensPerEvent * (windowSeconds / 5)))

async function measureWhole(level: Level, tokensPerEvent: number): Promise<string[]> {
  const server = await startTruthServer({ slots: level.streams, eventsPerSecond: level.eventsPerSecond, tokensPerEvent })
  try {
    const maxOutputTokens = tokensOf(level, tokensPerEvent)
    const run = await runWholeDriver({ port: server.port, streams: level.streams, seconds: windowSeconds, maxOutputTokens })
    const truth = await server.truth()
    const { figures } = run.attempt
    const sent = tokensSent(truth, run) / ((run.closeNs - run.openNs) / 1e9)
    // The cell's own requests; the phase is written down a moment after they begin.
    const own = truth.requests.filter((request) => request.receivedNs > run.fillNs - 100e6 && request.receivedNs < run.closeNs)
    const answered = own.flatMap(({ receivedNs, firstNs, lastNs, tokens }) =>
      firstNs === undefined || lastNs === undefined || tokens <= tokensPerEvent
        ? []
        : { ttftMs: (firstNs - receivedNs) / 1e6, itlMs: (lastNs - firstNs) / 1e6 / (tokens - tokensPerEvent) },
    )
    const ttftMs = median(answered.map((request) => request.ttftMs))
    const itlMs = median(answered.map((request) => request.itlMs))
    const measured = figures.totalTokensPerSecond ?? Number.NaN
    return [
      'driver',
      `${level.streams}`,
      `${level.eventsPerSecond}${tokensPerEvent > 1 ? ` × ${tokensPerEvent}` : ''}`,
      measured.toFixed(1),
      percent(measured / sent - 1),
      `${answered.length}`,
      ((figures.ttftMs ?? Number.NaN) - ttftMs).toFixed(3),
      `cell ${run.otherSeconds.toFixed(1)} s`,
      (figures.timeBetweenTokensMs ?? Number.NaN).toFixed(3),
      percent((figures.timeBetweenTokensMs ?? Number.NaN) / itlMs - 1),
      '',
      (figures.path?.latenessP99Ms ?? Number.NaN).toFixed(2),
    ]
  } finally {
    server.stop()
  }
}

const rows = [
  [
    'reader',
    'C',
    'events/s',
    'tok/s',
    'against truth',
    'requests',
    'TTFT off ms',
    'send + read ms',
    'ITL ms',
    'ITL off',
    'late p50 ms',
    'p99 ms',
  ],
]
for (const level of LEVELS) rows.push(await measureWhole(level, 1))
rows.push(await measureWhole({ streams: 64, eventsPerSecond: 4000 }, 3))
for (const level of LEVELS) rows.push(await measure(DRIVER_READER, level, 1))
rows.push(await measure(DRIVER_READER, { streams: 64, eventsPerSecond: 4000 }, 3))
const httpx = httpxReader()
if (httpx) for (const level of LEVELS.slice(0, 3)) rows.push(await measure(httpx, level, 1))
console.log(table(rows))
console.log(
  "\ndriver: the whole one, its window's edges known here to a millisecond; 'cell' is the time that is neither window nor prefill",
)
