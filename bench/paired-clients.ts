// The same work put on one server by Speedgrid's client and by `vllm bench serve`, in turn: which of them the server is faster under.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FixedWork, FixedWorkResult } from './fixed-work.ts'
import { median, table } from './harness.ts'

export interface PairedOptions {
  vllm: string
  tokenizer: string
  port: number
  model: string
  apiKey: string
  vocabulary: number
  concurrency: number
  rounds: number
  inputTokens: number
  outputTokens: number
}

type Round = Record<
  'speedgrid' | 'with events' | 'vllm bench',
  Pick<FixedWorkResult, 'tokensPerSecond' | 'ttftMs' | 'timeBetweenTokensMs'>
>
type Client = keyof Round

export function run(command: string, args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let errors = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${command} ended with ${code}\n${(errors + output).slice(-2000)}`)),
    )
  })
}

async function ours(options: PairedOptions, seed: number, continuousUsage: boolean): Promise<FixedWorkResult> {
  const work: FixedWork = {
    baseUrl: `http://127.0.0.1:${options.port}`,
    model: options.model,
    concurrency: options.concurrency,
    requests: 4 * options.concurrency,
    inputTokens: options.inputTokens,
    outputTokens: options.outputTokens,
    seed,
    vocabulary: options.vocabulary,
    continuousUsage,
    prompts: 'ids',
  }
  const args = [join(import.meta.dirname, 'fixed-work.ts'), JSON.stringify(work)]
  return JSON.parse(await run(process.execPath, args, { ...process.env, SPEEDGRID_BENCH_KEY: options.apiKey })) as FixedWorkResult
}

/** `output_throughput` is from the first send to the last token, as ours is here. */
async function theirs(options: PairedOptions, seed: number): Promise<Round['vllm bench']> {
  const folder = mkdtempSync(join(tmpdir(), 'speedgrid-vllm-bench-'))
  try {
    const words = `bench serve --backend openai --endpoint /v1/completions --host 127.0.0.1 --port ${options.port} --model ${options.model}
      --tokenizer ${options.tokenizer} --dataset-name random --random-input-len ${options.inputTokens} --random-output-len ${options.outputTokens}
      --random-range-ratio 0 --ignore-eos --num-prompts ${4 * options.concurrency} --max-concurrency ${options.concurrency} --seed ${seed}
      --save-result --result-dir ${folder} --result-filename result.json --percentile-metrics ttft,tpot,itl`
    await run(options.vllm, words.trim().split(/\s+/), { ...process.env, OPENAI_API_KEY: options.apiKey })
    const result = JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8')) as Record<string, number>
    return {
      tokensPerSecond: result.output_throughput ?? Number.NaN,
      ttftMs: result.median_ttft_ms ?? Number.NaN,
      timeBetweenTokensMs: result.median_tpot_ms ?? Number.NaN,
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The order turns round each time: what drifts on the machine falls on all of them alike. */
export async function pairedRounds(options: PairedOptions): Promise<Round[]> {
  const rounds: Round[] = []
  for (let index = 0; index < options.rounds; index += 1) {
    const seed = Math.floor(Math.random() * 1e6) * 10
    const found: Partial<Round> = {}
    const measure: [Client, () => Promise<Round[Client]>][] = [
      ['speedgrid', () => ours(options, seed + 1, false)],
      ['with events', () => ours(options, seed + 2, true)],
      ['vllm bench', () => theirs(options, seed + 3)],
    ]
    for (const [client, work] of index % 2 === 0 ? measure : measure.toReversed()) found[client] = await work()
    rounds.push(found as Round)
  }
  return rounds
}

/** Medians, and medians of the rounds' ratios to what Speedgrid sends by itself. */
export function pairedTable(rounds: Round[]): string {
  const rows = [['client', 'tok/s', 'TTFT ms', 'per token ms', 'tok/s ÷ ours', 'ahead of ours', 'TTFT ÷ ours']]
  for (const client of ['speedgrid', 'with events', 'vllm bench'] as const) {
    const middle = (key: keyof Round[Client]): number => median(rounds.map((round) => round[client][key]))
    const ratio = (key: keyof Round[Client]): number => median(rounds.map((round) => round[client][key] / round.speedgrid[key]))
    const ahead = rounds.filter((round) => round[client].tokensPerSecond > round.speedgrid.tokensPerSecond).length
    rows.push([
      client,
      middle('tokensPerSecond').toFixed(1),
      middle('ttftMs').toFixed(1),
      middle('timeBetweenTokensMs').toFixed(3),
      ratio('tokensPerSecond').toFixed(3),
      client === 'speedgrid' ? '' : `${ahead} of ${rounds.length}`,
      ratio('ttftMs').toFixed(3),
    ])
  }
  return table(rows)
}
