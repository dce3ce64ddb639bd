import { createByteLines, readJson } from '../../shared/bytes/index.ts'
import { type SpoolLine, spoolLineSchema } from '../../shared/model/spool.ts'
import { inOurTime } from './host-clock.ts'
import type { RunFolder } from './run-folder.ts'

/** An attempt of a thousand streams with all its requests has a few MiB. */
const MAX_LINE_BYTES = 32 * 1024 * 1024
/** A number further ahead than this is none, and would hide all that follows. */
const MAX_GAP = 10_000

export interface SpoolChunk {
  lines: SpoolLine[]
  /** Lines that are none of ours: how many, and what is wrong with the first. The numbers they carry are skipped. */
  leftOut: { count: number; first?: string }
  /** Numbers that are in the file nowhere, although later ones are: what they said is lost. */
  missing: { from: number; to: number }[]
  /** False when the end of the file was reached. */
  more: boolean
}

interface SpoolSource {
  folder: RunFolder
  runId: string
  /** Which driver of the run writes it. */
  epoch: number
  /** Number of the last line that is stored. */
  afterLine: number
  /** How far the clock that stamped the lines is ahead of ours; they come out in our time. */
  clockAheadMs?: () => Promise<number>
}

/**
 * Reads `spool.jsonl` as it grows. A last line without its line break waits for the rest; a driver that was killed never writes it, and
 * nobody takes it for whole. Everything is checked here, before it is stored: whatever stands in the file, reading goes on behind it.
 * Numbers follow each other without a gap: at one, the file is read from its beginning once more before it is believed and said. What
 * another driver than the expected one has written is left out.
 */
export function createSpoolTail({ folder, runId, epoch, afterLine, clockAheadMs = noDifference }: SpoolSource) {
  let offset = 0
  let last = afterLine
  /** Lines up to here come a second time. */
  let known = afterLine
  /** Gaps before here are believed: the file was read anew up to there. Doubled each time, so that no file is read without end. */
  let believedBytes = 0
  let doubted = false
  /** Set while what is read was written by another driver. */
  let foreign: string | undefined
  let result = nothing()
  let splitter = newSplitter()

  function newSplitter() {
    return createByteLines({ maxBytes: MAX_LINE_BYTES, onLine: take })
  }

  function take(text: string, isCut: boolean): void {
    if (doubted || text.trim() === '') return
    const line = isCut ? 'a line longer than 32 MiB' : parseLine(text)
    if (typeof line === 'string') return leaveOut(line)
    if (line.n <= last) {
      // It was read before, and so was what is wrong with the lines before it.
      if (line.n <= known) result.leftOut = { count: 0 }
      return
    }
    if (foreign !== undefined && line.kind !== 'hello') return leaveOut(foreign)
    if (line.n > last + 1 && offset > believedBytes) {
      doubted = true
      return
    }
    if (line.n > last + MAX_GAP) return leaveOut(`line ${String(line.n)} can't come after line ${String(last)}`)
    const checked = spoolLineSchema.safeParse(line)
    if (checked.data?.kind === 'hello') foreign = foreignDriver(checked.data)
    if (foreign !== undefined) return leaveOut(foreign)
    if (line.n > last + 1) result.missing.push({ from: last + 1, to: line.n - 1 })
    last = line.n
    if (checked.success) result.lines.push(checked.data)
    else leaveOut(`line ${String(line.n)} is not understood: ${describe(checked.error.issues[0])}`)
  }

  function leaveOut(why: string): void {
    result.leftOut.count += 1
    result.leftOut.first ??= why
  }

  function readAnew(): void {
    doubted = false
    foreign = undefined
    believedBytes = 2 * offset
    known = last
    offset = 0
    splitter = newSplitter()
  }

  function foreignDriver(hello: { runId: string; epoch: number }): string | undefined {
    if (hello.runId === runId && hello.epoch === epoch) return undefined
    return `it is that of driver ${String(hello.epoch)} of run ${hello.runId}, not of driver ${String(epoch)} of run ${runId}`
  }

  return {
    /** Bytes waiting for the end of their line. */
    get restBytes() {
      return splitter.pendingBytes
    },
    async next(): Promise<SpoolChunk> {
      // Before anything is read, so that nothing is lost where it can't be asked.
      const aheadMs = await clockAheadMs()
      const chunk = await folder.read('spool.jsonl', offset)
      offset += chunk.length
      splitter.push(chunk)
      if (doubted) readAnew()
      const lines = result.lines.map((line) => inOurTime(line, aheadMs))
      const found = { ...result, lines, more: chunk.length > 0 }
      result = nothing()
      return found
    },
  }
}

const noDifference = () => Promise.resolve(0)

function nothing(): Pick<SpoolChunk, 'lines' | 'leftOut' | 'missing'> {
  return { lines: [], leftOut: { count: 0 }, missing: [] }
}

/** Only as far as needed to know whether it is new; lines that are stored already need no further look. */
function parseLine(text: string): { n: number; kind?: unknown } | string {
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
