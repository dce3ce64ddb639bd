import { closeSync, openSync, readSync } from 'node:fs'
import { type Control, controlSchema } from '../../../shared/model/job.ts'
import type { Clock } from './clock.ts'

export const CONTROL_POLL_MS = 200
const CHUNK_BYTES = 64 * 1024

/** Whole lines appended to a file since the last call; a half line waits for its rest. A missing file has none. */
export function createLineTail(path: string): () => string[] {
  let offset = 0
  let rest = Buffer.alloc(0)
  const chunk = Buffer.alloc(CHUNK_BYTES)
  return () => {
    let descriptor: number
    try {
      descriptor = openSync(path, 'r')
    } catch {
      return []
    }
    const parts: Buffer[] = [rest]
    try {
      for (;;) {
        const count = readSync(descriptor, chunk, 0, chunk.length, offset)
        if (count === 0) break
        offset += count
        parts.push(Buffer.from(chunk.subarray(0, count)))
      }
    } finally {
      closeSync(descriptor)
    }
    const data = Buffer.concat(parts)
    const end = data.lastIndexOf(10) + 1
    rest = Buffer.from(data.subarray(end))
    return data
      .subarray(0, end)
      .toString()
      .split('\n')
      .filter((line) => line.trim() !== '')
  }
}

function parseControl(line: string): Control | undefined {
  try {
    const parsed = controlSchema.safeParse(JSON.parse(line))
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
