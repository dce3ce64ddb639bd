// A driver that measures nothing: reads its job, obeys its control file, and says what a real one would. What goes wrong is chosen by
// the plan's `model`. Cells take `settleSeconds`.
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'

const folder = process.argv[2]
const at = (name) => join(folder, name)
const job = JSON.parse(readFileSync(at('job.json'), 'utf8'))
const mode = job.plan.model ?? ''
const started = Date.now()

const input = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const secret = JSON.parse((await input.next()).value)
if (mode === 'no-start') {
  process.stderr.write(`cannot start, and my key is ${secret.apiKey}\n`)
  process.exit(1)
}

let n = job.firstLine
const text = (entry) => JSON.stringify({ n: n++, t: Date.now(), m: Date.now() - started, ...entry })
const say = (entry) => appendFileSync(at('spool.jsonl'), `${text(entry)}\n`)

const stat = readFileSync('/proc/self/stat', 'utf8')
const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
const identity = { hostName: hostname(), bootId, pid: process.pid, session: Number(fields[3]), startTicks: fields[19] }

const control = { ending: undefined, acked: 0, paused: false }
const inputs = []
async function readInput() {
  for (let next = await input.next(); !next.done; next = await input.next()) inputs.push(JSON.parse(next.value).kind)
  if (job.place !== 'host') control.ending ??= 'interrupted'
}
void readInput()

function readControl() {
  if (!existsSync(at('control.jsonl'))) return
  for (const line of readFileSync(at('control.jsonl'), 'utf8').split('\n').filter(Boolean)) {
    const { kind, n: stored } = JSON.parse(line)
    if (kind === 'ack') control.acked = stored
    if (kind === 'stop') control.ending = 'stopped'
    if (kind === 'interrupt') control.ending = 'interrupted'
    if (kind === 'pause' || kind === 'resume') control.paused = kind === 'pause'
  }
}
const timer = setInterval(readControl, 30)

say({
  kind: 'hello',
  runId: job.runId,
  epoch: job.epoch,
  place: job.place,
  driverVersion: '0.0.1',
  nodeVersion: process.version,
  hostName: hostname(),
  pid: process.pid,
})
writeFileSync(at('driver.json'), JSON.stringify(identity), { mode: 0o600 })
const key = createHash('sha256')
  .update(secret.apiKey ?? '')
  .digest('hex')
  .slice(0, 8)
say({ kind: 'event', level: 'info', text: `key ${key}` })
// An older driver that repeats what a hostile server says to it.
if (mode === 'leaky') {
  const encoded = Buffer.from(`me:${secret.apiKey}`).toString('base64')
  say({ kind: 'event', level: 'warn', text: `the server said ${secret.apiKey}, ${encoded} and {"hub_token": "other-secret"}` })
}
say({ kind: 'state', state: 'preparing' })

if (mode === 'unauthorized') {
  const error = { code: 'unauthorized', cause: 'The server answered 401', evidence: ['HTTP 401'], nextStep: 'Give the key.' }
  say({ kind: 'end', state: 'failed', error })
  process.exit(0)
}

const capabilities = { metrics: true, tokenize: true }
say({ kind: 'facts', facts: { name: 'vllm', servedModel: 'fake', maxModelLen: 32_768, ...job.known, capabilities } })
const isDone = (cell) =>
  job.done.cells.some((one) => one.contextTokens === cell.contextTokens && one.concurrency === cell.concurrency)
const cells = job.plan.contexts.flatMap((contextTokens) =>
  job.plan.concurrency.map((concurrency) => ({ contextTokens, concurrency, repeat: 1 })),
)
say({
  kind: 'planned',
  contexts: job.plan.contexts,
  prefillContexts: [],
  estimateSeconds: 1,
  cells: cells.map((cell) => ({ ...cell, verdict: isDone(cell) ? 'done' : 'run' })),
})
if (job.dryRun) {
  say({ kind: 'end', state: 'finished' })
  process.exit(0)
}
say({ kind: 'state', state: 'running' })

let measured = 0
for (const cell of cells.filter((one) => !isDone(one))) {
  const live = { tokensPerSecond: 50, activeStreams: cell.concurrency, windowSeconds: 0.1, outputTokens: 5 }
  say({ kind: 'live', contextTokens: cell.contextTokens, concurrency: cell.concurrency, phase: 'window', ...live })
  const until = Date.now() + job.plan.settleSeconds * 1000
  while ((Date.now() < until || control.paused) && control.ending === undefined) await delay(10)
  if (control.ending !== undefined) break
  const before = job.attempts.find((one) => one.contextTokens === cell.contextTokens && one.concurrency === cell.concurrency)
  const now = new Date().toISOString()
  const line = text({
    kind: 'attempt',
    record: {
      ...cell,
      attempt: (before?.attempts ?? 0) + 1,
      status: 'valid',
      flags: [],
      startedAt: now,
      finishedAt: now,
      figures: { totalTokensPerSecond: 100 * cell.concurrency, outputTokens: 100, completedRequests: 1, windowSeconds: 1 },
      phaseSeconds: { window: 1 },
      series: [],
      requests: [],
    },
  })
  measured++
  if (mode === 'torn' && measured === 2) {
    appendFileSync(at('spool.jsonl'), line.slice(0, 50))
    await delay(900)
    appendFileSync(at('spool.jsonl'), `${line.slice(50)}\n`)
  } else if (!(mode === 'lossy' && measured === 2 && job.epoch === 1)) {
    appendFileSync(at('spool.jsonl'), `${line}\n`)
  }
  if (mode === 'invalid' && measured === 1) {
    appendFileSync(at('spool.jsonl'), 'not a line at all\n')
    say({ kind: 'surprise', what: 'a newer driver' })
  }
  if (mode === 'die' && measured === 2 && job.epoch === 1) {
    process.stderr.write('out of memory, said the driver\n')
    appendFileSync(at('spool.jsonl'), text({ kind: 'event', level: 'info', text: 'never finished' }).slice(0, 30))
    process.kill(process.pid, 'SIGKILL')
  }
}
if (mode === 'ack') {
  const wanted = n - 1
  const limit = Date.now() + 20_000
  while (control.acked < wanted && Date.now() < limit) await delay(20)
  say({ kind: 'event', level: 'info', text: `acked ${control.acked === wanted}` })
}
say({ kind: 'event', level: 'info', text: `input ${[...new Set(inputs)].sort((a, b) => a.localeCompare(b)).join(',')}` })
const { ending } = control
say({ kind: 'end', state: ending ?? 'finished', reason: ending && `${String(ending)} as asked` })
clearInterval(timer)
process.exit(0)
