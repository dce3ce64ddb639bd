import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { planSchema } from '../src/shared/model/plan.ts'
import type { Attempt } from '../src/shared/model/cell.ts'
import { spoolLineSchema } from '../src/shared/model/spool.ts'

export interface DriverRun {
  attempt: Attempt
  /** Where the window lay, CLOCK_MONOTONIC nanoseconds, to a millisecond. */
  openNs: number
  closeNs: number
  /** When the cell's own streams began. */
  fillNs: number
  /** Seconds of the whole cell that are neither window nor prefill. */
  otherSeconds: number
}

/** One cell by the whole driver, as the engine starts it: a run folder with job.json, the key over standard input, figures from the spool. */
export async function runWholeDriver(options: {
  port: number
  streams: number
  seconds: number
  maxOutputTokens: number
}): Promise<DriverRun> {
  const folder = mkdtempSync(join(tmpdir(), 'speedgrid-bench-run-'))
  try {
    const plan = planSchema.parse({
      contexts: [0],
      concurrency: [options.streams],
      seconds: options.seconds,
      maxOutputTokens: options.maxOutputTokens,
    })
    const job = {
      schema: 'speedgrid.job/1',
      runId: 'bench',
      epoch: 1,
      plan,
      target: { baseUrl: `http://127.0.0.1:${options.port}` },
      place: 'local',
    }
    writeFileSync(join(folder, 'job.json'), JSON.stringify(job))
    const main = join(import.meta.dirname, '..', 'src', 'main', 'driver', 'main.ts')
    const child = spawn(process.execPath, [main, folder], { stdio: ['pipe', 'inherit', 'inherit'] })
    child.stdin.write('{"kind":"secret"}\n')
    await new Promise((resolve) => child.once('close', resolve))
    const offsetNs = Number(process.hrtime.bigint()) - Date.now() * 1e6
    const lines = readFileSync(join(folder, 'spool.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => spoolLineSchema.parse(JSON.parse(line)))
    const attempt = lines.findLast((line) => line.kind === 'attempt')?.record
    const atNs = (phase: string): number =>
      (lines.findLast((line) => line.kind === 'cell' && line.phase === phase)?.t ?? 0) * 1e6 + offsetNs
    if (!attempt || attempt.status !== 'valid') {
      throw new Error(
        `the driver's cell ended as ${attempt?.status ?? 'nothing'}: ${attempt?.reason ?? JSON.stringify(lines.at(-1))}`,
      )
    }
    const openNs = atNs('window')
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
