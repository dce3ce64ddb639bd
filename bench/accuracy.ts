// Total tok/s, TTFT and time between tokens as the driver's client measures them, against what the stand-in really sent.
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

const windowSeconds = seconds(10)
const LEVELS = [
  { streams: 1, eventsPerSecond: 200 },
  { streams: 32, eventsPerSecond: 4000 },
  { streams: 64, eventsPerSecond: 8000 },
  { streams: 128, eventsPerSecond: 15_000 },
]

interface Pair {
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
      ttftMs: (request.firstNs - request.startNs) / 1e6,
      trueTtftMs: (sent.firstNs - sent.receivedNs) / 1e6,
      itlMs: (request.lastNs - request.firstNs) / 1e6 / steps,
      trueItlMs: (sent.lastNs - sent.firstNs) / 1e6 / steps,
    }
  })
}

const percent = (value: number): string => `${value >= 0 ? '+' : ''}${(value * 100).toFixed(3)} %`

async function measure(kind: ReaderKind, level: (typeof LEVELS)[number], tokensPerEvent: number): Promise<string[]> {
  const server = await startTruthServer({ slots: level.streams, eventsPerSecond: level.eventsPerSecond, tokensPerEvent })
  try {
    // Several requests a stream inside the window.
    const maxTokens = Math.max(32, Math.round((level.eventsPerSecond / level.streams) * tokensPerEvent * (windowSeconds / 5)))
    const reading = await read(kind, { port: server.port, streams: level.streams, windowSeconds, maxTokens })
    const truth = await server.truth()
    const sent = tokensSent(truth, reading)
    const span = (reading.closeNs - reading.openNs) / 1e9
    const both = pairs(truth, reading)
    const middle = (key: keyof Pair): number => median(both.map((pair) => pair[key]))
    const late = latenessMs(truth, reading)
    return [
      kind === DRIVER_READER ? 'driver' : 'httpx',
      `${level.streams}`,
      `${level.eventsPerSecond}${tokensPerEvent > 1 ? ` × ${tokensPerEvent}` : ''}`,
      (reading.tokens / span).toFixed(1),
      percent(reading.tokens / sent - 1),
      `${both.length}`,
      (middle('ttftMs') - middle('trueTtftMs')).toFixed(3),
      middle('itlMs').toFixed(3),
      percent(middle('itlMs') / middle('trueItlMs') - 1),
      percentile(late, 0.5).toFixed(2),
      percentile(late, 0.99).toFixed(2),
    ]
  } finally {
    server.stop()
  }
}

const rows = [
  ['reader', 'C', 'events/s', 'tok/s', 'against truth', 'requests', 'TTFT off ms', 'ITL ms', 'ITL off', 'late p50 ms', 'p99 ms'],
]
for (const level of LEVELS) rows.push(await measure(DRIVER_READER, level, 1))
rows.push(await measure(DRIVER_READER, { streams: 64, eventsPerSecond: 4000 }, 3))
const httpx = httpxReader()
if (httpx) for (const level of LEVELS.slice(0, 3)) rows.push(await measure(httpx, level, 1))
console.log(table(rows))
