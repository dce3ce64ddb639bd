// The whole driver's figures against what the stand-in really made, over exactly the same span: 1, 2 and 5 tokens an event, C = 1, 8, 64,
// 128, on a machine that is quiet or busy with processes that eat the CPU; what the driver said of itself beside it.
// node bench/truth-table.ts [--seconds=8] [--eaters=0,1,4] [--streams=1,8,64,128] [--tokens=1,2,5] [--usage=continuous] [--json=FILE]
import { appendFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { median, seconds, startEaters, startTruthServer, table, tokensMade, tokensSent } from './harness.ts'
import { exactSpan, runWholeDriver } from './whole-driver.ts'

const windowSeconds = seconds(8)
const option = (name: string): string | undefined => {
  const start = `--${name}=`
  return process.argv.find((argument) => argument.startsWith(start))?.slice(start.length)
}
const numbers = (name: string, fallback: number[]): number[] => option(name)?.split(',').map(Number) ?? fallback
const usage = (option('usage') ?? 'continuous') as 'continuous' | 'final' | 'none'
const json = option('json')

/** Events/s of all streams together. */
const EVENTS: Record<number, number> = { 1: 100, 8: 800, 64: 4000, 128: 7000 }

const percent = (value: number): string => `${value >= 0 ? '+' : ''}${(value * 100).toFixed(3)} %`

async function measure(streams: number, tokensPerEvent: number, eaters: number): Promise<string[]> {
  const eventsPerSecond = EVENTS[streams] ?? streams * 60
  const server = await startTruthServer({ slots: streams, eventsPerSecond, tokensPerEvent, usage })
  const stopEaters = startEaters(eaters)
  try {
    const maxOutputTokens = Math.round((eventsPerSecond / streams) * tokensPerEvent * (windowSeconds / 3))
    const run = await runWholeDriver({ port: server.port, streams, seconds: windowSeconds, maxOutputTokens })
    const truth = await server.truth()
    const { figures, flags } = run.attempt
    const edges = exactSpan(run, truth)
    const span = (edges.closeNs - edges.openNs) / 1e9
    const sent = tokensSent(truth, edges) / span
    const made = tokensMade(truth, edges) / span
    const own = truth.requests.filter((request) => request.receivedNs > run.fillNs - 100e6 && request.receivedNs < run.closeNs)
    const ttftMs = median(own.flatMap(({ receivedNs, firstNs }) => (firstNs === undefined ? [] : (firstNs - receivedNs) / 1e6)))
    const total = figures.totalTokensPerSecond ?? Number.NaN
    const ttftOffMs = (figures.ttftMs ?? Number.NaN) - ttftMs
    const off = total / made - 1
    const limited = flags.find(({ flag }) => flag === 'client_limited')
    const mustFlag = Math.abs(off) > 0.005 || ttftOffMs > 5 + 0.05 * ttftMs
    const mayNotFlag = Math.abs(off) < 0.0015 && ttftOffMs <= 5 + 0.05 * ttftMs
    if (json !== undefined) {
      const { rawEvents: _raw, requests: _requests, series: _series, ...attempt } = run.attempt
      appendFileSync(
        json,
        `${JSON.stringify({ shiftMs: (edges.openNs - run.openNs) / 1e6, streams, tokensPerEvent, eaters, usage, made, sent, total, off, ttftMs, ttftOffMs, attempt })}\n`,
      )
    }
    return [
      `${eaters}`,
      `${streams}`,
      `${tokensPerEvent}`,
      total.toFixed(1),
      percent(off),
      percent(total / sent - 1),
      ttftMs.toFixed(1),
      ttftOffMs.toFixed(2),
      (figures.path?.latenessP99Ms ?? Number.NaN).toFixed(2),
      (figures.path?.loopDelayP99Ms ?? Number.NaN).toFixed(1),
      figures.tokenSource ?? '',
      limited ? 'flagged' : '',
      mustFlag && !limited ? 'MISSED' : mayNotFlag && limited ? 'NEEDLESS' : 'right',
      flags
        .map(({ flag }) => flag)
        .filter((flag) => flag !== 'client_limited')
        .join(' '),
    ]
  } catch (error) {
    return [
      `${eaters}`,
      `${streams}`,
      `${tokensPerEvent}`,
      error instanceof Error ? error.message.slice(0, 80) : '',
      ...Array<string>(10).fill(''),
    ]
  } finally {
    stopEaters()
    server.stop()
  }
}

const rows = [
  [
    'eaters',
    'C',
    'tok/event',
    'tok/s',
    'off (made)',
    'off (sent)',
    'TTFT ms',
    'off ms',
    'late p99',
    'loop p99',
    'tokens by',
    'limited',
    'flag is',
    'other flags',
  ],
]
for (const eaters of numbers('eaters', [0, 1, 4]))
  for (const streams of numbers('streams', [1, 8, 64, 128]))
    for (const tokens of numbers('tokens', [1, 2, 5])) {
      const row = await measure(streams, tokens, eaters)
      rows.push(row)
      console.error(row.join(' | '))
    }
console.log(`${cpus().length} cores, ${windowSeconds} s windows, usage: ${usage}\n${table(rows)}`)
