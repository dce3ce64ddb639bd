import { type SpoolLine, spoolLineSchema } from '../../shared/model/spool.ts'
import type { RunFolder } from './run-folder.ts'

const NEWLINE = 10

export interface SpoolChunk {
  lines: SpoolLine[]
  /** Lines that are none of ours, as sentences. The numbers they carry are skipped. */
  invalid: string[]
  /** False when the end of the file was reached. */
  more: boolean
}

/**
 * Reads `spool.jsonl` as it grows. A last line without its line break waits for the rest; a driver that was killed never writes it, and
 * nobody takes it for whole.
 */
export function createSpoolTail({ folder, afterLine }: { folder: RunFolder; afterLine: number }) {
  let offset = 0
  let last = afterLine
  let rest: Buffer = Buffer.alloc(0)

  return {
    /** Bytes waiting for the end of their line. */
    get restBytes() {
      return rest.length
    },
    async next(): Promise<SpoolChunk> {
      const chunk = await folder.read('spool.jsonl', offset)
      offset += chunk.length
      const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      const end = data.lastIndexOf(NEWLINE) + 1
      rest = Buffer.from(data.subarray(end))
      const result: SpoolChunk = { lines: [], invalid: [], more: chunk.length > 0 }
      for (const text of data.subarray(0, end).toString('utf8').split('\n')) {
        if (text.trim() === '') continue
        const line = parseLine(text)
        if (typeof line === 'string') {
          result.invalid.push(line)
        } else if (line.n > last) {
          last = line.n
          const checked = spoolLineSchema.safeParse(line)
          if (checked.success) result.lines.push(checked.data)
          else result.invalid.push(`line ${String(line.n)} is not understood: ${checked.error.issues[0]?.message ?? ''}`)
        }
      }
      return result
    },
  }
}

/** Only as far as needed to know whether it is new; lines that are stored already need no further look. */
function parseLine(text: string): { n: number } | string {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && 'n' in value && typeof value.n === 'number')
      return { ...value, n: value.n }
  } catch {
    // said below
  }
  return `a line that is no spool line: ${text.slice(0, 80)}`
}
