// The same work put on one server by Speedgrid's client and by `vllm bench serve`, in turn: which of them the server is faster under, and what
// each costs the server and itself. The same for both: the endpoint, what a body asks for (no sampling but the server's own), prompts as text
// out of one kind of file (ShareGPT's) with the same number of tokens, their count and order, output length, C, and C warm-ups with the first prompt.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSeededText, cutAtWord } from '../src/main/driver/stream/text.ts'
import type { FixedWork, FixedWorkResult } from './fixed-work.ts'
import { median, table } from './harness.ts'
import { cpuSecondsOf, processesOfSession, waitedSecondsOf, WORK_BEGINS, WORK_ENDS } from './process-cpu.ts'

export interface PairedOptions {
  vllm: string
  tokenizer: string
  port: number
  model: string
  apiKey: string
  /** Session of the server's processes; the one that speaks HTTP leads it. */
  session: number
  concurrency: number
  rounds: number
  inputTokens: number
  outputTokens: number
  requestsPerStream: number
  clients: readonly Client[]
}

export type Client = 'speedgrid' | 'with events' | 'vllm bench'

interface Reading extends FixedWorkResult {
  /** CPU seconds while the work was done. */
  clientCpu: number
  /** Of the process that speaks HTTP: what a client's wishes and its pace cost the server. */
  frontCpu: number
  /** All of the server's; its engine and workers wait for each other with the processor busy, so it grows with the time that passes. */
  serverCpu: number
  /** Seconds that the client was ready to run and wasn't let. */
  clientWaited: number
}

type Round = Map<Client, Reading>

/** Runs it to its end; `onLine` gets each line of its output when it comes. */
export function run(
  command: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  onLine?: (line: string, child: ChildProcess) => void,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let errors = ''
    child.stdout.on('data', (chunk: Buffer) => {
      const lines = (output.slice(output.lastIndexOf('\n') + 1) + chunk.toString()).split('\n')
      output += chunk.toString()
      for (const line of lines.slice(0, -1)) onLine?.(line, child)
    })
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${command} ended with ${code}\n${(errors + output).slice(-2000)}`)),
    )
  })
}

/** CPU seconds of client and server between two lines of the client's output. */
function meter(session: number, opens: string, closes: string) {
  const server = processesOfSession(session)
  const nothing = { clientCpu: Number.NaN, frontCpu: Number.NaN, serverCpu: Number.NaN, clientWaited: Number.NaN }
  const cost = { ...nothing }
  let before = { ...nothing }
  return {
    cost,
    onLine: (line: string, child: ChildProcess): void => {
      if (!line.includes(opens) && !line.includes(closes)) return
      const pid = child.pid ?? -1
      const now = {
        clientCpu: cpuSecondsOf([pid]),
        frontCpu: cpuSecondsOf([session]),
        serverCpu: cpuSecondsOf(server),
        clientWaited: waitedSecondsOf(pid),
      }
      if (line.includes(opens)) before = now
      else
        for (const part of ['clientCpu', 'frontCpu', 'serverCpu', 'clientWaited'] as const) cost[part] = now[part] - before[part]
    },
  }
}

async function ours(options: PairedOptions, promptsPath: string, continuousUsage: boolean): Promise<Reading> {
  const { model, concurrency, outputTokens } = options
  const work: FixedWork = {
    baseUrl: `http://127.0.0.1:${options.port}`,
    model,
    concurrency,
    promptsPath,
    outputTokens,
    continuousUsage,
  }
  const { cost, onLine } = meter(options.session, WORK_BEGINS, WORK_ENDS)
  const args = [join(import.meta.dirname, 'fixed-work.ts'), JSON.stringify(work)]
  const output = await run(process.execPath, args, { ...process.env, SPEEDGRID_BENCH_KEY: options.apiKey }, onLine)
  return { ...(JSON.parse(output.trim().split('\n').at(-1) ?? '') as FixedWorkResult), ...cost }
}

interface VllmBench {
  duration: number
  total_input_tokens: number
  total_output_tokens: number
  median_ttft_ms: number
  median_tpot_ms: number
  itls: number[][]
}

async function theirs(options: PairedOptions, promptsPath: string, folder: string): Promise<Reading> {
  const words = `bench serve --backend openai --endpoint /v1/completions --host 127.0.0.1 --port ${options.port} --model ${options.model}
      --tokenizer ${options.tokenizer} --dataset-name sharegpt --dataset-path ${promptsPath} --disable-shuffle
      --sharegpt-output-len ${options.outputTokens} --ignore-eos --num-prompts ${options.requestsPerStream * options.concurrency}
      --max-concurrency ${options.concurrency} --num-warmups ${options.concurrency} --disable-tqdm
      --save-result --save-detailed --result-dir ${folder} --result-filename result.json --percentile-metrics ttft,tpot,itl`
  const { cost, onLine } = meter(options.session, 'Starting main benchmark run', 'Serving Benchmark Result')
  const env = { ...process.env, OPENAI_API_KEY: options.apiKey, PYTHONUNBUFFERED: '1' }
  await run(options.vllm, words.trim().split(/\s+/), env, onLine)
  const result = JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8')) as VllmBench
  return {
    seconds: result.duration,
    tokens: result.total_output_tokens,
    promptTokens: result.total_input_tokens,
    events: result.itls.reduce((sum, one) => sum + one.length + 1, 0),
    ttftMs: result.median_ttft_ms,
    timeBetweenTokensMs: result.median_tpot_ms,
    ...cost,
  }
}

/** Texts of about so many tokens, no two of which begin alike. */
async function writePrompts(options: PairedOptions, path: string): Promise<void> {
  const seed = Math.floor(Math.random() * 2 ** 32)
  const sample = createSeededText(seed, 0).text(20_000)
  const answer = await fetch(`http://127.0.0.1:${options.port}/tokenize`, {
    method: 'POST',
    headers: { authorization: `Bearer ${options.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: options.model, prompt: sample }),
  })
  const { count } = (await answer.json()) as { count: number }
  const chars = Math.round((options.inputTokens * sample.length) / count)
  const entries = Array.from({ length: options.requestsPerStream * options.concurrency }, (_, index) => {
    const prompt = cutAtWord(`${index} ${createSeededText(seed, index + 1).text(chars)}`, chars)
    return { conversations: [{ value: prompt }, { value: 'An answer of the length that is asked for.' }] }
  })
  writeFileSync(path, JSON.stringify(entries))
}

async function measured(options: PairedOptions, client: Client): Promise<Reading> {
  const folder = mkdtempSync(join(tmpdir(), 'speedgrid-pairs-'))
  const promptsPath = join(folder, 'prompts.json')
  try {
    await writePrompts(options, promptsPath)
    const reading =
      client === 'vllm bench'
        ? await theirs(options, promptsPath, folder)
        : await ours(options, promptsPath, client === 'with events')
    const wanted = options.requestsPerStream * options.concurrency * options.outputTokens
    if (reading.tokens !== wanted) throw new Error(`${client} got ${reading.tokens} tokens, not ${wanted}: not the same work`)
    return reading
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The order turns round each time: what drifts on the machine falls on all of them alike. */
export async function pairedRounds(options: PairedOptions): Promise<Round[]> {
  const rounds: Round[] = []
  for (let index = 0; index < options.rounds; index += 1) {
    const round: Round = new Map()
    for (const client of index % 2 === 0 ? options.clients : options.clients.toReversed())
      round.set(client, await measured(options, client))
    rounds.push(round)
  }
  return rounds
}

const FIGURES: readonly [name: string, digits: number, of: (reading: Reading) => number][] = [
  ['tok/s', 1, ({ tokens, seconds }) => tokens / seconds],
  ['TTFT ms', 1, ({ ttftMs }) => ttftMs],
  ['ms a token', 3, ({ timeBetweenTokensMs }) => timeBetweenTokensMs],
  ['client CPU s/1000', 3, ({ clientCpu, tokens }) => (clientCpu * 1000) / tokens],
  ['front end CPU s/1000', 3, ({ frontCpu, tokens }) => (frontCpu * 1000) / tokens],
  ['server CPU s/1000', 3, ({ serverCpu, tokens }) => (serverCpu * 1000) / tokens],
  ['client waited %', 1, ({ clientWaited, seconds }) => (100 * clientWaited) / seconds],
  ['tokens an event', 3, ({ tokens, events }) => tokens / events],
  ['prompt tokens', 0, ({ promptTokens }) => promptTokens],
]

/** Medians, and medians of the rounds' ratios to what Speedgrid sends by itself. */
export function pairedTable(rounds: Round[]): string {
  const clients = [...(rounds[0]?.keys() ?? [])].toSorted()
  const rows = [
    ['', ...clients, ...clients.filter((client) => client !== 'speedgrid').map((client) => `${client} ÷ ours (above ours in)`)],
  ]
  for (const [name, digits, of] of FIGURES) {
    const values = (client: Client): number[] => rounds.map((round) => of(round.get(client) as Reading))
    const own = values('speedgrid')
    rows.push([
      name,
      ...clients.map((client) => median(values(client)).toFixed(digits)),
      ...clients
        .filter((client) => client !== 'speedgrid')
        .map((client) => {
          const ratios = values(client).map((value, index) => value / (own[index] as number))
          return `${median(ratios).toFixed(3)} (${ratios.filter((ratio) => ratio > 1).length} of ${ratios.length})`
        }),
    ])
  }
  return table(rows)
}
