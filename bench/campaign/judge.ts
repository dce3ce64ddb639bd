import { existsSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import type { Attempt } from '../../src/shared/model/cell.ts'
import type { RunRow } from '../../src/shared/contract/runs.ts'
import type { RunDocument } from '../../src/shared/model/run.ts'
import type { Truth } from '../harness.ts'
import { CELLS } from './engines.ts'
import { API_KEY, HOST, type Lab } from './lab.ts'
import { driversOf, processesOf } from './processes.ts'

export const FAULTS = ['cell lost', 'measured twice', 'wrong state', 'wrong figure', 'leftover', 'secret on disk'] as const
export interface Fault {
  fault: (typeof FAULTS)[number]
  evidence: string
}

/** Beyond this a figure without any doubt beside it is wrong. */
const FIGURE_LIMIT_PERCENT = 5
const GONE_LIMIT_MS = 10_000

/** What a run looks like right after the blow: it is going on only where somebody measures it, or where it is said that nobody looks. */
export async function judgeAfterBlow(lab: Lab): Promise<Fault[]> {
  const { runs } = await lab.person.json<{ runs: Pick<RunRow, 'state' | 'unwatched'>[] }>(['runs'])
  const [run] = runs
  if (run === undefined || run.unwatched !== undefined || !['preparing', 'running', 'paused'].includes(run.state)) return []
  if (driversOf(lab.root).length > 0) return []
  return [{ fault: 'wrong state', evidence: `${run.state}, and no driver lives` }]
}

/** What is left when the run is over, of the run and beside it. */
export async function judge(lab: Lab, last: { exitCode: number | null; text: string }): Promise<Fault[]> {
  const faults: Fault[] = []
  const add = (fault: Fault['fault'], evidence: string) => faults.push({ fault, evidence })
  const { runs } = await lab.person.json<{ runs: { id: string; state: string }[] }>(['runs'])
  const [run, ...others] = runs
  if (run === undefined) return [{ fault: 'cell lost', evidence: `there is no run: ${last.text.slice(-300)}` }]
  if (others.length > 0) add('wrong state', `${String(runs.length)} runs`)
  const document = await lab.person.json<RunDocument>(['show', run.id])
  const undone = document.cells.filter(({ status }) => status !== 'valid')
  const told = `${document.reason ?? ''} ${last.text.slice(-300)}`
  if (undone.length > 0 || document.cells.length !== CELLS) {
    const what = undone.map(
      (cell) => `${String(cell.contextTokens)}×${String(cell.concurrency)} ${cell.status} ${cell.reason ?? ''}`,
    )
    add('cell lost', `${String(CELLS - undone.length)} of ${String(document.cells.length)} cells valid: ${what.join('; ')}`)
  }
  if (document.state !== 'finished') add('wrong state', `${document.state} (exit ${String(last.exitCode)}): ${told}`)
  else if (last.exitCode !== 0 && last.exitCode !== null)
    add('wrong state', `finished, and exit ${String(last.exitCode)}: ${told}`)
  const attempts = attemptsOf(lab, run.id)
  for (const [cell, count] of validCounts(attempts)) {
    if (count > 1) add('measured twice', `${cell} has ${String(count)} valid attempts`)
  }
  faults.push(...wrongFigures(attempts, await lab.truths()), ...(await leftovers(lab)), ...secrets(lab))
  return faults
}

function attemptsOf(lab: Lab, runId: string): Attempt[] {
  const file = new DatabaseSync(join(lab.person.dataDir, 'history.db'), { readOnly: true })
  try {
    return file
      .prepare("SELECT json FROM spool WHERE run_id = ? AND kind = 'attempt' ORDER BY n")
      .all(runId)
      .map((row) => (JSON.parse(String(row['json'])) as { record: Attempt }).record)
  } finally {
    file.close()
  }
}

function validCounts(attempts: readonly Attempt[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { status, contextTokens, concurrency } of attempts) {
    const cell = `${String(contextTokens)}×${String(concurrency)}`
    if (status === 'valid') counts.set(cell, (counts.get(cell) ?? 0) + 1)
  }
  return counts
}

/** Against what the stand-in wrote in the same span. Windows that a stand-in which was killed knew about are not judged. */
function wrongFigures(attempts: readonly Attempt[], truths: readonly Truth[]): Fault[] {
  return attempts.flatMap((attempt): Fault[] => {
    const { figures, flags, status, windowOpenMs } = attempt
    if (status !== 'valid' || windowOpenMs === undefined || flags.length > 0) return []
    const { totalTokensPerSecond = 0, measuredSeconds = 0 } = figures
    const openWallMs = Date.parse(attempt.startedAt) + windowOpenMs
    const truth = truths.find(({ startedWallMs }) => startedWallMs <= openWallMs)
    if (truth === undefined || measuredSeconds === 0) return []
    const toNs = (wallMs: number) => wallMs * 1e6 + truth.wallToMonotonicNs
    const [from, to] = [toNs(openWallMs), toNs(openWallMs + measuredSeconds * 1000)]
    let tokens = 0
    truth.actualNs.forEach((atNs, index) => {
      if (atNs >= from && atNs < to) tokens += truth.tokens[index] ?? 0
    })
    const real = tokens / measuredSeconds
    const offPercent = (totalTokensPerSecond / real - 1) * 100
    if (Math.abs(offPercent) <= FIGURE_LIMIT_PERCENT) return []
    const cell = `${String(attempt.contextTokens)}×${String(attempt.concurrency)}`
    return [
      {
        fault: 'wrong figure',
        evidence: `${cell}: ${totalTokensPerSecond.toFixed(1)} tok/s, really ${real.toFixed(1)} (${offPercent.toFixed(1)} %)`,
      },
    ]
  })
}

/** A young socket may be about to listen: only one that has stood a minute is taken for that of a killed engine, by the next engine. */
async function letSocketsAge(lab: Lab): Promise<void> {
  const long = new Date(Date.now() - 600_000)
  const left = readdirSync(lab.person.temporary)
  for (const name of left) utimesSync(join(lab.person.temporary, name), long, long)
  if (left.length > 0) await lab.person.run(['runs'])
}

async function leftovers(lab: Lab): Promise<Fault[]> {
  const own = new Set([lab.server.pid])
  const onHost = join(lab.hostHome, '.cache/speedgrid/runs')
  const found = () =>
    processesOf(lab.root).filter(
      ({ pid, command }) => !own.has(pid) && !command.startsWith('sshd') && !command.includes('sshd_config'),
    )
  const limitMs = performance.now() + GONE_LIMIT_MS
  while (found().length > 0 && performance.now() < limitMs) await delay(200)
  // What could not be removed when the run ended is removed by whatever measures there next; that is said in the run.
  if (existsSync(onHost) && readdirSync(onHost).length > 0)
    await lab.person.run(['sweep', '--host', HOST, '--contexts', '0', '--concurrency', '1', '--dry-run'])
  await letSocketsAge(lab)
  const folders = [onHost, join(lab.person.dataDir, 'runs')]
  const files = [...folders, lab.person.temporary].flatMap((folder) =>
    existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [],
  )
  return [
    ...found().map(
      ({ pid, command }): Fault => ({ fault: 'leftover', evidence: `process ${String(pid)}: ${command.slice(0, 160)}` }),
    ),
    ...files.map((path): Fault => ({ fault: 'leftover', evidence: path.replace(lab.root, '') })),
  ]
}

function secrets(lab: Lab): Fault[] {
  const look = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return look(path)
      return entry.isFile() && statSync(path).size < 1 << 27 && readFileSync(path).includes(API_KEY) ? [path] : []
    })
  return look(lab.root).map((path) => ({ fault: 'secret on disk', evidence: path.replace(lab.root, '') }))
}
