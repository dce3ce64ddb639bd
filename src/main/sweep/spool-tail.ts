import { createByteLines, readJson } from '../../shared/bytes/index.ts'
import { type SpoolLine, spoolLineSchema } from '../../shared/model/spool.ts'
import type { RunFolder } from './run-folder.ts'

/** An attempt of a thousand streams with all its requests has a few MiB. */
const MAX_LINE_BYTES = 32 * 1024 * 1024
/** Lines that were left out leave a gap in the numbers; a number further ahead than this is none, and would hide all that follows. */
const MAX_GAP = 10_000

export interface SpoolChunk {
  lines: SpoolLine[]
  /** Lines that are none of ours: how many, and what is wrong with the first. The numbers they carry are skipped. */
  leftOut: { count: number; first?: string }
  /** False when the end of the file was reached. */
  more: boolean
}

/**
 * Reads `spool.jsonl` as it grows. A last line without its line break waits for the rest; a driver that was killed never writes it, and
 * nobody takes it for whole. Everything is checked here, before it is stored: whatever stands in the file, reading goes on behind it.
 */
export function createSpoolTail({ folder, afterLine }: { folder: RunFolder; afterLine: number }) {
  let offset = 0
  let last = afterLine
  let result = nothing()
  const splitter = createByteLines({ maxBytes: MAX_LINE_BYTES, onLine: take })

  function take(text: string, isCut: boolean): void {
    if (text.trim() === '') return
    const line = isCut ? 'a line longer than 32 MiB' : parseLine(text)
    if (typeof line === 'string') return leaveOut(line)
    if (line.n <= last) {
      // It was read before, and so was what is wrong with the lines before it.
      if (line.n <= afterLine) result.leftOut = { count: 0 }
      return
    }
    if (line.n > last + MAX_GAP) return leaveOut(`line ${String(line.n)} can't come after line ${String(last)}`)
    last = line.n
    const checked = spoolLineSchema.safeParse(line)
    if (checked.success) result.lines.push(checked.data)
    else leaveOut(`line ${String(line.n)} is not understood: ${describe(checked.error.issues[0])}`)
  }

  function leaveOut(why: string): void {
    result.leftOut.count += 1
    result.leftOut.first ??= why
  }

  return {
    /** Bytes waiting for the end of their line. */
    get restBytes() {
      return splitter.pendingBytes
    },
    async next(): Promise<SpoolChunk> {
      const chunk = await folder.read('spool.jsonl', offset)
      offset += chunk.length
      splitter.push(chunk)
      const found = { ...result, more: chunk.length > 0 }
      result = nothing()
      return found
    },
  }
}

function nothing(): Pick<SpoolChunk, 'lines' | 'leftOut'> {
  return { lines: [], leftOut: { count: 0 } }
}

/** Only as far as needed to know whether it is new; lines that are stored already need no further look. */
function parseLine(text: string): { n: number } | string {
  try {
    const value = readJson(text)
    if (typeof value === 'object' && value !== null && 'n' in value && Number.isSafeInteger(value.n))
      return { ...value, n: value.n as number }
  } catch {
    // said below
  }
  return `a line that is no spool line: ${text.slice(0, 80)}`
}

function describe(issue: { path: PropertyKey[]; message: string } | undefined): string {
  const path = issue?.path.map(String).join('.') ?? ''
  return `${path === '' ? '' : `${path}: `}${issue?.message ?? ''}`.slice(0, 200)
}
