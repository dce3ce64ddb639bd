import { closeSync, openSync, readSync } from 'node:fs'
import { createByteLines, readJson } from '../../../shared/bytes/index.ts'
import { type Control, controlSchema } from '../../../shared/model/job.ts'
import type { Clock } from './clock.ts'

const CONTROL_POLL_MS = 200
const CHUNK_BYTES = 64 * 1024

/** Lines of ours have some dozen bytes. */
const MAX_LINE_BYTES = 64 * 1024
/** Of one look at the file, so that a large one never holds up the measuring; the next look goes on. */
const MAX_LOOK_BYTES = 16 * 1024 * 1024

/** Whole lines appended to a file since the last call; a half line waits for its rest. A missing file has none. */
function createLineTail(path: string): () => string[] {
  let offset = 0
  let lines: string[] = []
  const splitter = createByteLines({ maxBytes: MAX_LINE_BYTES, onLine: (line) => line.trim() !== '' && lines.push(line) })
  const chunk = Buffer.alloc(CHUNK_BYTES)
  return () => {
    let descriptor: number
    try {
      descriptor = openSync(path, 'r')
    } catch {
      return []
    }
    try {
      for (let looked = 0; looked < MAX_LOOK_BYTES; ) {
        const count = readSync(descriptor, chunk, 0, chunk.length, offset)
        if (count === 0) break
        offset += count
        looked += count
        splitter.push(chunk.subarray(0, count))
      }
    } finally {
      closeSync(descriptor)
    }
    const whole = lines
    lines = []
    return whole
  }
}

function parseControl(line: string): Control | undefined {
  try {
    const parsed = controlSchema.safeParse(readJson(line))
    return parsed.success ? parsed.data : undefined
  } catch {
    return undefined
  }
}

/** Reads the control file from its beginning, then every 200 ms what was added. Lines that aren't understood go to `onUnknown`. */
export function watchControlFile(options: {
  path: string
  clock: Clock
  onControl: (control: Control) => void
  onUnknown: (line: string) => void
}): () => void {
  const read = createLineTail(options.path)
  const poll = () => {
    for (const line of read()) {
      const control = parseControl(line)
      if (control === undefined) options.onUnknown(line.slice(0, 200))
      else options.onControl(control)
    }
  }
  poll()
  return options.clock.every(CONTROL_POLL_MS, poll)
}
