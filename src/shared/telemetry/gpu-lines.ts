import { createByteLines } from '../bytes/index.ts'
import type { GpuSample } from '../model/telemetry.ts'
import { parseGpuLine } from './nvidia-smi.ts'

/** All GPUs of a tick are printed within a few milliseconds. */
const TICK_QUIET_MS = 40
const MAX_LINE_BYTES = 4096
const MAX_GPUS = 256

interface GpuLines {
  push(chunk: string, atMs: number): void
  /** Gives out what is left and stops. */
  end(): void
}

/** Puts the lines of a repeating query together into readings of all GPUs, timed by the arrival of their first line. */
export function createGpuLines(fields: readonly string[], onReading: (gpus: GpuSample[], atMs: number) => void): GpuLines {
  let chunkAtMs = 0
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
    if (gpus.length >= MAX_GPUS) return
    if (gpus.length === 0) readingAtMs = atMs
    gpus.push(gpu)
  }

  const lines = createByteLines({ maxBytes: MAX_LINE_BYTES, onLine: (line) => take(line, chunkAtMs) })
  const encoder = new TextEncoder()

  return {
    push(chunk, atMs) {
      chunkAtMs = atMs
      lines.push(encoder.encode(chunk))
      clearTimeout(quiet)
      if (gpus.length > 0) quiet = setTimeout(flush, TICK_QUIET_MS).unref()
    },
    end: flush,
  }
}
