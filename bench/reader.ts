// Reads C streams with the driver's own client, loop detection included, in a process of its own. Same arguments and output as httpx-reader.py.
import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createDriverClient } from '../src/main/driver/stream/client.ts'
import type { InFlight } from '../src/main/driver/stream/types.ts'

interface Arguments {
  port: number
  streams: number
  windowSeconds: number
  maxTokens: number
  out: string
}

const { port, streams, windowSeconds, maxTokens, out } = JSON.parse(process.argv[2] ?? '{}') as Arguments
const client = createDriverClient({ baseUrl: `http://127.0.0.1:${port}` })
// performance.now() and CLOCK_MONOTONIC are the same clock with different beginnings.
const zeroNs = Number(process.hrtime.bigint()) - performance.now() * 1e6
const toNs = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : zeroNs + ms * 1e6)

interface Sent {
  user: string
  started: InFlight
}
const sent: Sent[] = []
const inFlight = new Map<number, InFlight>()
const columns: number[] = []
const state = { withOutput: 0, stopped: false, open: false, events: 0, tokens: 0 }

async function runStream(stream: number): Promise<void> {
  let seen = false
  for (let ordinal = 0; !state.stopped; ordinal++) {
    const user = `s${stream}-r${ordinal}`
    const request = sent.length
    const body = Buffer.from(
      JSON.stringify({
        model: 'truth',
        messages: [{ role: 'user', content: 'Write.' }],
        user,
        // Streams end at different steps: C requests at once would measure how fast the stand-in reads them.
        max_tokens: maxTokens + stream,
        stream: true,
        ignore_eos: true,
        stream_options: { include_usage: true, continuous_usage_stats: true },
      }),
    )
    const started = client.stream({
      path: '/v1/chat/completions',
      body,
      onEvent: (event) => {
        if (!seen) {
          seen = true
          state.withOutput += 1
        }
        columns.push(request, event.completionTokens, event.atMs)
        if (!state.open) return
        state.events += 1
        state.tokens += event.deltaTokens
      },
      onLoop: (finding) => {
        throw new Error(`the stand-in's text loops: ${JSON.stringify(finding)}`)
      },
    })
    sent.push({ user, started })
    inFlight.set(stream, started)
    const result = await started.done
    if (result.error) throw new Error(result.error.message)
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const all = Promise.all(Array.from({ length: streams }, (_, stream) => runStream(stream)))
while (state.withOutput < streams) await sleep(20)
await sleep(1000)
const delay = monitorEventLoopDelay({ resolution: 20 })
delay.enable()
const cpuBefore = process.cpuUsage()
const openMs = performance.now()
state.open = true
await sleep(windowSeconds * 1000)
state.open = false
const closeMs = performance.now()
const cpu = process.cpuUsage(cpuBefore)
delay.disable()
state.stopped = true
for (const each of inFlight.values()) each.cancel()
await all
client.dispose()

const records = new Float64Array(columns)
for (let at = 2; at < records.length; at += 3) records[at] = toNs(records[at]) as number
writeFileSync(out, records)
console.log(
  JSON.stringify({
    openNs: toNs(openMs),
    closeNs: toNs(closeMs),
    events: state.events,
    tokens: state.tokens,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
    loopDelayP99Ms: delay.percentile(99) / 1e6 - 20,
    rssMiB: process.memoryUsage.rss() / 1024 / 1024,
    requests: sent.map(({ user, started: { result } }) => ({
      user,
      startNs: toNs(result.startMs),
      firstNs: toNs(result.firstEventMs),
      lastNs: toNs(result.lastEventMs),
      tokens: result.outputTokens,
      firstTokens: result.firstEventTokens,
      completed: result.completed,
    })),
  }),
)
