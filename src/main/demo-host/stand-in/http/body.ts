import type { IncomingMessage } from 'node:http'

const MAX_BODY_BYTES = 64 * 1024 * 1024

/** The whole body; rejects when the client leaves before it has sent it. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw new Error('body too large')
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
}

/**
 * Remembers what the last few bodies were parsed to: the streams of a cell send the same prompt, up to 1.2 MB of it, and comparing
 * bytes is a hundred times cheaper than parsing and tokenizing them again.
 */
export function createBodyMemo<Parsed>(parse: (body: Buffer) => Parsed, keep = 4): (body: Buffer) => Parsed {
  const entries: { body: Buffer; parsed: Parsed }[] = []
  return (body) => {
    const index = entries.findIndex((entry) => entry.body.length === body.length && entry.body.equals(body))
    const [known] = index < 0 ? [] : entries.splice(index, 1)
    const entry = known ?? { body, parsed: parse(body) }
    entries.unshift(entry)
    entries.length = Math.min(entries.length, keep)
    return entry.parsed
  }
}
