// A real vLLM (SPEEDGRID_VLLM) behind a real sshd: the nine-cell plan with its wall time and cross-checks, then the same workload measured by
// `vllm bench serve` and by Speedgrid in turn, three times each; then how fast the server is under the one client and the other, and what each
// costs it, in paired rounds. Prints figures and ratios; gates nothing.
// node bench/real-vllm.ts [--only=pairs] [--rounds=10] [--concurrency=8,32] [--clients="speedgrid,vllm bench"]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunDocument } from '../src/shared/model/run.ts'
import { pairedRounds, pairedTable, run } from './paired-clients.ts'
import { openLab, processes } from '../test/vllm/lab.ts'

const NINE = '--contexts 0,2k,8k --concurrency 1,8,32 --seconds 10 --max-output 1024 --prefill-contexts 2k,8k'
const INPUT = 2048
const OUTPUT = 1024
const CONCURRENCY = 8
const REPEATS = 3
const PAIRED = { inputTokens: 128, outputTokens: 128, requestsPerStream: 6 }
const CLIENTS = ['speedgrid', 'with events', 'vllm bench'] as const

const option = (name: string): string | undefined => {
  const start = `--${name}=`
  return process.argv.find((argument) => argument.startsWith(start))?.slice(start.length)
}

interface VllmBench {
  median_ttft_ms: number
  median_tpot_ms: number
  output_throughput: number
}

const lab = await openLab()
const { person } = lab
const text = (value: number | undefined, digits = 1) => (value === undefined ? '—' : value.toFixed(digits))
const range = (values: number[], digits = 1) => `${text(Math.min(...values), digits)} – ${text(Math.max(...values), digits)}`

/** Throughput as measured from the first send to the last token is what `vllm bench serve` prints. */
async function vllmBench(port: number, apiKey: string, round: number): Promise<VllmBench> {
  const folder = mkdtempSync(join(tmpdir(), 'speedgrid-vllm-bench-'))
  const words = `bench serve --backend openai --endpoint /v1/completions --host 127.0.0.1 --port ${port} --model qwen --tokenizer ${lab.model}
    --dataset-name random --random-input-len ${INPUT} --random-output-len ${OUTPUT} --random-range-ratio 0 --ignore-eos --num-prompts ${4 * CONCURRENCY}
    --max-concurrency ${CONCURRENCY} --seed ${1000 + round} --save-result --result-dir ${folder} --result-filename result.json --percentile-metrics ttft,tpot,itl`
  await run(lab.vllm, words.split(/\s+/), { ...process.env, OPENAI_API_KEY: apiKey })
  const result = JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8')) as VllmBench
  rmSync(folder, { recursive: true })
  return result
}

async function nineCells(): Promise<void> {
  const startedMs = performance.now()
  const nine = await person.json<RunDocument>(['sweep', '--host', 'lab', '--driver', 'host', ...NINE.split(' ')])
  const seconds = (performance.now() - startedMs) / 1000
  console.log(
    `nine cells: ${nine.cells.filter(({ status }) => status === 'valid').length} of 9 valid in ${text(seconds)} s (bar: 9 in 154 s)`,
  )
  console.log(`  windows ${text(nine.timing.windowSeconds)} s, prefill ${text(nine.timing.prefillSeconds)} s`)
  for (const cell of nine.cells) {
    const check = cell.serverCheck
    console.log(
      `  ${cell.contextTokens} × ${cell.concurrency}: ${cell.status} prompt ${cell.promptTokens} total ${text(cell.totalTokensPerSecond)} tok/s TTFT ${text(cell.ttftMs)} ms tbt ${text(cell.timeBetweenTokensMs, 2)} ms ` +
        `server check ${check ? `${check.differencePercent.toFixed(3)} % over ${text(check.seconds)} s` : '—'} flags ${cell.flags.map(({ flag }) => flag).join(' ') || 'none'}`,
    )
  }
  for (const row of nine.prefill)
    console.log(
      `  prefill ${row.contextTokens}: ${row.promptTokens} tokens, TTFT ${text(row.ttftMs)} ms, cached ${row.cachedTokens}`,
    )
}

async function besideVllmBench(port: number, apiKey: string): Promise<void> {
  const theirs: VllmBench[] = []
  const ours: RunDocument['cells'] = []
  for (let round = 0; round < REPEATS; round += 1) {
    theirs.push(await vllmBench(port, apiKey, round))
    const plan = `--driver host --endpoint completions --prompt-mode cold --contexts ${INPUT} --concurrency ${CONCURRENCY} --seconds 15 --max-output ${OUTPUT} --seed ${round + 1}`
    ours.push(...(await person.json<RunDocument>(['sweep', '--host', 'lab', ...plan.split(' ')])).cells)
  }
  console.log(
    `\nagainst vllm bench serve: ${INPUT} in, ${OUTPUT} out, C = ${CONCURRENCY}, cold, /v1/completions, ${REPEATS} rounds in turn`,
  )
  console.log('                      vllm bench            speedgrid')
  console.log(
    `  median TTFT ms      ${range(theirs.map((one) => one.median_ttft_ms)).padEnd(20)}  ${range(ours.map((cell) => cell.ttftMs ?? Number.NaN))}`,
  )
  console.log(
    `  time per token ms   ${range(
      theirs.map((one) => one.median_tpot_ms),
      3,
    ).padEnd(20)}  ${range(
      ours.map((cell) => cell.timeBetweenTokensMs ?? Number.NaN),
      3,
    )}`,
  )
  console.log(
    `  total tok/s         ${range(theirs.map((one) => one.output_throughput)).padEnd(20)}  ${range(ours.map((cell) => cell.totalTokensPerSecond ?? Number.NaN))}`,
  )
  console.log(`  ours: ${ours.map((cell) => `${cell.status} ${cell.flags.map(({ flag }) => flag).join(' ')}`).join(' · ')}`)
}

async function paired(port: number, apiKey: string, session: number): Promise<void> {
  const clients = CLIENTS.filter((client) => (option('clients') ?? CLIENTS.join(',')).split(',').includes(client))
  for (const concurrency of (option('concurrency') ?? '8,32').split(',').map(Number)) {
    const options = {
      ...PAIRED,
      vllm: lab.vllm,
      tokenizer: lab.model,
      model: 'qwen',
      port,
      apiKey,
      session,
      clients,
      concurrency,
    }
    const rounds = await pairedRounds({ ...options, rounds: Number(option('rounds') ?? 10) })
    console.log(`\nC = ${concurrency}, ${PAIRED.inputTokens} in, ${PAIRED.outputTokens} out, ${rounds.length} rounds in turn`)
    console.log(pairedTable(rounds))
  }
}

try {
  const { sshd } = lab
  await person.json(['hosts', 'add', 'lab', `${sshd.user}@127.0.0.1:${sshd.port}`, '--identity', sshd.clientKeyPath])
  await person.run(['hosts', 'trust', 'lab', '--fingerprint', sshd.hostKeyFingerprint])
  const launch = await person.run(['launch', 'lab', '--env', lab.vllm, '--json', '--', ...lab.serveWords()])
  const server = JSON.parse(launch.stdout).server as { id: string; port: number; identity: { session: number } }
  try {
    if (option('only') !== 'pairs') await nineCells()
    const key = processes().find(
      ({ session, environ }) => session === server.identity.session && environ.includes('VLLM_API_KEY='),
    )
    const apiKey = key?.environ.match(/VLLM_API_KEY=([^\0]+)/)?.[1] ?? ''
    if (option('only') !== 'pairs') await besideVllmBench(server.port, apiKey)
    await paired(server.port, apiKey, server.identity.session)
  } finally {
    const stop = await person.run(['stop', 'lab', server.id])
    console.log(`\n${stop.stderr.trim()}`)
  }
} finally {
  await lab.dispose()
}
