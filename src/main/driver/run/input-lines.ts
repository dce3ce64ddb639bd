import type { Readable } from 'node:stream'
import { type DriverInput, driverInputSchema } from '../../../shared/model/job.ts'

const MAX_LINE_CHARS = 1_000_000

function parse(line: string): DriverInput | undefined {
  try {
    const parsed = driverInputSchema.safeParse(JSON.parse(line))
    return parsed.success ? parsed.data : undefined
  } catch {
    // Never say what stood there: it may be the key.
    return undefined
  }
}

/** Lines of standard input; `onEnd` once, at its end or failure. */
export function readInput(stream: Readable, handlers: { onInput: (input: DriverInput) => void; onEnd: () => void }): () => void {
  let rest = ''
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
  const onData = (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = (lines.pop() ?? '').slice(0, MAX_LINE_CHARS)
    for (const line of lines) take(line)
  }
  stream.setEncoding('utf8')
  stream.on('data', onData)
  stream.on('end', () => {
    take(rest)
    end()
  })
  stream.on('error', end)
  stream.on('close', end)
  return () => stream.destroy()
}
