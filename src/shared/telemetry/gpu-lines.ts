import type { GpuSample } from '../model/telemetry.ts'
import { parseGpuLine } from './nvidia-smi.ts'

/** All GPUs of a tick are printed within a few milliseconds. */
const TICK_QUIET_MS = 40

export interface GpuLines {
  push(chunk: string, atMs: number): void
  /** Gives out what is left and stops. */
  end(): void
}

/** Puts the lines of a repeating query together into readings of all GPUs, timed by the arrival of their first line. */
export function createGpuLines(fields: readonly string[], onReading: (gpus: GpuSample[], atMs: number) => void): GpuLines {
  let rest = ''
  let gpus: GpuSample[] = []
  let readingAtMs = 0
  let quiet: NodeJS.Timeout | undefined

  function flush(): void {
    clearTimeout(quiet)
    if (gpus.length > 0) onReading(gpus, readingAtMs)
    gpus = []
  }

  function take(line: string, atMs: number): void {
    const gpu = parseGpuLine(line, fields)
    if (!gpu) return
    if (gpus.some((each) => each.index === gpu.index)) flush()
    if (gpus.length === 0) readingAtMs = atMs
    gpus.push(gpu)
  }

  return {
    push(chunk, atMs) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) take(line, atMs)
      clearTimeout(quiet)
      if (gpus.length > 0) quiet = setTimeout(flush, TICK_QUIET_MS).unref()
    },
    end: flush,
  }
}
