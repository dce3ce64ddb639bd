import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { percentile, type Truth } from './harness.ts'
import { type PlanInput, planSchema } from '../src/shared/model/plan.ts'
import type { Attempt } from '../src/shared/model/cell.ts'
import { spoolLineSchema } from '../src/shared/model/spool.ts'

/** What CLOCK_MONOTONIC is ahead of wall time, ns: taken at the moment a new ms of wall time begins. */
function wallOffsetNs(): number {
  const before = Date.now()
  let now = Date.now()
  while (now === before) now = Date.now()
  return Number(process.hrtime.bigint()) - now * 1e6
}

export interface DriverRun {
  attempt: Attempt
  /** The span that the total is about, CLOCK_MONOTONIC nanoseconds, to about a tenth of a millisecond. */
  openNs: number
  closeNs: number
  /** When the cell's own streams began. */
  fillNs: number
  /** Seconds of the whole cell that are neither window nor prefill. */
  otherSeconds: number
}

/**
 * The span again, by the requests themselves: a driver that isn't let run between its clock's reading and its first line would shift it. Each
 * request was taken up a moment after it was sent, the quickest ones at once.
 */
export function exactSpan(run: DriverRun, truth: Truth): { openNs: number; closeNs: number } {
  const { requests, windowOpenMs = Number.NaN } = run.attempt
  const received = truth.requests.map(({ receivedNs }) => receivedNs)
  const behind = requests.map(({ startMs }) => {
    const sentNs = run.openNs + (startMs - windowOpenMs) * 1e6
    return received.reduce((best, atNs) => (Math.abs(atNs - sentNs) < Math.abs(best) ? atNs - sentNs : best), Infinity)
  })
  const openNs = run.openNs + percentile(behind, 0.1)
  return { openNs, closeNs: openNs + (run.closeNs - run.openNs) }
}

/** One cell by the whole driver, as the engine starts it: a run folder with job.json, the key over standard input, figures from the spool. */
export async function runWholeDriver(options: {
  port: number
  streams: number
  seconds: number
  maxOutputTokens: number
  plan?: PlanInput
}): Promise<DriverRun> {
  const folder = mkdtempSync(join(tmpdir(), 'speedgrid-bench-run-'))
  try {
    const other = process.env.SPEEDGRID_BENCH_DRIVER
    const { countTokens, ...plan } = planSchema.parse({
      contexts: [0],
      concurrency: [options.streams],
      seconds: options.seconds,
      maxOutputTokens: options.maxOutputTokens,
      ...options.plan,
    })
    const job = {
      schema: 'speedgrid.job/1',
      runId: 'bench',
      epoch: 1,
      // An older driver refuses what it doesn't know.
      plan: other === undefined ? { ...plan, countTokens } : plan,
      target: { baseUrl: `http://127.0.0.1:${options.port}` },
      place: 'local',
    }
    writeFileSync(join(folder, 'job.json'), JSON.stringify(job))
    const main = other ?? join(import.meta.dirname, '..', 'src', 'main', 'driver', 'main.ts')
    const child = spawn(process.execPath, [main, folder], { stdio: ['pipe', 'inherit', 'inherit'] })
    child.stdin.write('{"kind":"secret"}\n')
    await new Promise((resolve) => child.once('close', resolve))
    const lines = readFileSync(join(folder, 'spool.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => spoolLineSchema.parse(JSON.parse(line)))
    const attempt = lines.findLast((line) => line.kind === 'attempt')?.record
    // A line has whole ms of wall time and µs since the driver's start: of many lines, the one that was written right after a ms
    // began tells where that start was.
    const startWallMs = Math.max(...lines.map((line) => line.t - line.m))
    const offsetNs = wallOffsetNs()
    const atNs = (phase: string): number =>
      ((lines.findLast((line) => line.kind === 'cell' && line.phase === phase)?.m ?? 0) + startWallMs) * 1e6 + offsetNs
    if (!attempt || attempt.status !== 'valid') {
      throw new Error(
        `the driver's cell ended as ${attempt?.status ?? 'nothing'}: ${attempt?.reason ?? JSON.stringify(lines.at(-1))}`,
      )
    }
    // The attempt's times count from a moment before its first phase is written down.
    const openNs = atNs('barrier') + (attempt.windowOpenMs ?? Number.NaN) * 1e6
    const { window = 0, ...others } = attempt.phaseSeconds
    return {
      attempt,
      openNs,
      closeNs: openNs + (attempt.figures.measuredSeconds ?? window) * 1e9,
      fillNs: atNs('fill'),
      otherSeconds: Object.values(others).reduce((sum, part) => sum + part, 0),
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
