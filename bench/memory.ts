// Resident memory of a process that keeps C = 128 streams of a 251K-token prompt in flight: the text must be shared, not copied.
// node bench/memory.ts [--streams=128]; the parent starts the stand-in, the child (marked --child) does the work.
import { spawnSync } from 'node:child_process'
import { createDriverClient } from '../src/main/driver/stream/client.ts'
import { createPromptSource } from '../src/main/driver/stream/prompts.ts'
import { promptNonce } from '../src/main/driver/stream/prompt-modes.ts'
import { encodeBody } from '../src/main/driver/stream/request-body.ts'
import { createTokenizeCounter } from '../src/main/driver/stream/token-counter.ts'
import { startTruthServer } from './harness.ts'

const CONTEXT = 257_024
const streams = Number(process.argv.find((argument) => argument.startsWith('--streams='))?.slice(10) ?? 128)
const port = process.argv.find((argument) => argument.startsWith('--child='))?.slice(8)
const mib = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MiB`
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function child(serverPort: string): Promise<void> {
  const client = createDriverClient({ baseUrl: `http://127.0.0.1:${serverPort}` })
  let peak = 0
  const look = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20)
  const idle = process.memoryUsage.rss()
  const source = createPromptSource({ seed: 1, endpoint: 'chat', counter: createTokenizeCounter(client, 'truth') })
  const startMs = performance.now()
  const built = await source.build({
    contextTokens: CONTEXT,
    nonce: promptNonce({ runId: 'bench', epoch: 1, contextTokens: CONTEXT }),
  })
  console.log(
    `prompt of ${built.countedTokens} tokens, ${built.countCalls} counts, ${((performance.now() - startMs) / 1000).toFixed(1)} s`,
  )
  const body = encodeBody(built.content, { model: 'truth', maxTokens: 1_000_000 })
  let events = 0
  const all = Array.from({ length: streams }, () =>
    client.stream({
      path: '/v1/chat/completions',
      body,
      onEvent: () => (events += 1),
      onLoop: (finding) => console.log(finding),
    }),
  )
  while (all.some((each) => each.result.firstEventMs === undefined)) await sleep(50)
  await sleep(5000)
  for (const each of all) each.cancel()
  clearInterval(look)
  const failed = all.filter((each) => each.result.error).length
  console.log(`body ${mib(body.length)}, ${streams} streams, ${failed} failed, ${events} events`)
  console.log(
    `resident: ${mib(idle)} at the start, ${mib(peak)} at most (ru_maxrss ${mib(process.resourceUsage().maxRSS * 1024)})`,
  )
  client.dispose()
}

if (port !== undefined) {
  await child(port)
} else {
  const server = await startTruthServer({ slots: streams, eventsPerSecond: 4000 })
  try {
    spawnSync(process.execPath, [import.meta.filename, `--child=${server.port}`, `--streams=${streams}`], { stdio: 'inherit' })
  } finally {
    server.stop()
  }
}
