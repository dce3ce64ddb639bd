/**
 * What a long history costs: `speedgrid runs` in time, CPU and peak memory beside the same with an empty history; what the page is sent
 * first; and each question of the page to the engine. `node bench/history-scale.ts [--runs=50000] [--rounds=5]`; needs the built bundles.
 * Prints figures and ratios, gates nothing.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createRunsFeed } from '../src/main/engine/api/runs-feed.ts'
import { createStore } from '../src/main/store/index.ts'
import { listRunsInput, type RunQuery } from '../src/shared/contract/runs.ts'
import { median, table } from './harness.ts'
import { fillHistory } from './history.ts'

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '50000' }, rounds: { type: 'string', default: '5' } },
})
const count = Number(values.runs)
const rounds = Number(values.rounds)
const CLI = resolve(import.meta.dirname, '../out/main/cli.js')
const SAY_COST = join(import.meta.dirname, 'say-cost.cjs')

interface Cost {
  seconds: number
  cpuSeconds: number
  peakMiB: number
  bytes: number
}

function costOf(dataDir: string, args: string[]): Promise<Cost> {
  return new Promise((done, failed) => {
    const startedMs = performance.now()
    const child = spawn(process.execPath, ['-r', SAY_COST, CLI, '--data-dir', dataDir, ...args], {
      stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
    })
    let bytes = 0
    let said = ''
    child.stdout?.on('data', (part: Buffer) => (bytes += part.length))
    child.stdio[3]?.on('data', (part: Buffer) => (said += part.toString()))
    child.on('error', failed)
    child.on('close', () => {
      const seconds = (performance.now() - startedMs) / 1000
      done({ seconds, bytes, ...(JSON.parse(said) as { peakMiB: number; cpuSeconds: number }) })
    })
  })
}

const root = mkdtempSync(join(tmpdir(), 'speedgrid-bench-'))
try {
  const long = join(root, 'long')
  const empty = join(root, 'empty')
  fillHistory(long, count)
  createStore({ dataDir: empty }).dispose()

  const cases: [string, string, string[]][] = [
    ['empty history', empty, ['runs']],
    ['runs', long, ['runs']],
    ['runs --json', long, ['runs', '--json']],
    ['runs --search', long, ['runs', '--search', 'gpt-oss nightly']],
    ['runs --all', long, ['runs', '--all']],
    ['runs --all --json', long, ['runs', '--all', '--json']],
    ['show (beginning of an id)', long, ['show', `run-${String(count - 7).padStart(5, '0')}`]],
  ]
  const costs = new Map<string, Cost[]>()
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, folder, args] of cases) costs.set(name, [...(costs.get(name) ?? []), await costOf(folder, args)])
  }
  const of = (name: string, read: (cost: Cost) => number) => median((costs.get(name) ?? []).map(read))
  const rows = cases.map(([name]) => {
    const read = (key: keyof Cost) => of(name, (cost) => cost[key])
    const base = (key: keyof Cost) => of('empty history', (cost) => cost[key])
    return [
      name,
      read('seconds').toFixed(2),
      (read('seconds') / base('seconds')).toFixed(2),
      read('cpuSeconds').toFixed(2),
      read('peakMiB').toFixed(0),
      (read('peakMiB') / base('peakMiB')).toFixed(2),
      (read('bytes') / 1024).toFixed(0),
    ]
  })
  console.log(`${String(count)} runs, median of ${String(rounds)}; × is the ratio to the same program with an empty history`)
  console.log(table([['command', 's', '×', 'CPU s', 'peak MiB', '×', 'KiB out'], ...rows]))

  const store = createStore({ dataDir: long })
  const feed = createRunsFeed({ store })
  const leave = new AbortController()
  const ask = (query: Partial<RunQuery>) => () => store.runs.page(listRunsInput.parse(query))
  const questions: [string, () => unknown][] = [
    ['first list', ask({})],
    ['in the middle', ask({ offset: Math.floor(count / 2) })],
    ['at the end', ask({ offset: Math.max(0, count - 3000) })],
    ['search of two words', ask({ search: 'gpt-oss nightly' })],
    ['search, not ASCII', ask({ search: 'ä' })],
    ['sorted by name', ask({ order: 'name', isDescending: false })],
    ['a host, by cells', ask({ hosts: ['attic'], order: 'cells' })],
    ['what to filter by', () => store.runs.choices(false)],
  ]
  const timed = questions.map(([name, work]) => {
    let bytes = 0
    const times = Array.from({ length: rounds }, () => {
      const startedMs = performance.now()
      bytes = JSON.stringify(work()).length
      return performance.now() - startedMs
    })
    return [name, median(times).toFixed(1), (bytes / 1024).toFixed(0)]
  })
  const first = await feed.watch(leave.signal)[Symbol.asyncIterator]().next()
  timed.push(['first message of the feed', '', (JSON.stringify(first.value).length / 1024).toFixed(0)])
  console.log(table([['question of the page', 'ms', 'KiB'], ...timed]))
  leave.abort()
  feed.dispose()
  store.dispose()
} finally {
  rmSync(root, { recursive: true })
}
