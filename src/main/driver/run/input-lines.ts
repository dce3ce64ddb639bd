import type { Readable } from 'node:stream'
import { createByteLines, readJson } from '../../../shared/bytes/index.ts'
import { type DriverInput, driverInputSchema } from '../../../shared/model/job.ts'

const MAX_LINE_BYTES = 1_000_000

function parse(line: string): DriverInput | undefined {
  try {
    const parsed = driverInputSchema.safeParse(readJson(line))
    return parsed.success ? parsed.data : undefined
  } catch {
    // Never say what stood there: it may be the key.
    return undefined
  }
}

/** Lines of standard input; `onEnd` once, at its end or failure. */
export function readInput(stream: Readable, handlers: { onInput: (input: DriverInput) => void; onEnd: () => void }): () => void {
  let ended = false
  const end = () => {
    if (ended) return
    ended = true
    handlers.onEnd()
  }
  const take = (line: string) => {
    const input = line.trim() === '' ? undefined : parse(line)
    if (input) handlers.onInput(input)
  }
  const lines = createByteLines({ maxBytes: MAX_LINE_BYTES, onLine: take })
  stream.on('data', (chunk: Buffer) => lines.push(chunk))
  stream.on('end', () => {
    lines.end()
    end()
  })
  stream.on('error', end)
  stream.on('close', end)
  return () => stream.destroy()
}
