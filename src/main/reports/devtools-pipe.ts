import type { Readable, Writable } from 'node:stream'
import { z } from 'zod'

const messageSchema = z.object({
  id: z.int().optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
  sessionId: z.string().optional(),
})

/** Chromium's DevTools protocol over the two pipes of --remote-debugging-pipe: JSON texts that end with a NUL. */
export interface DevTools {
  call(method: string, params?: Record<string, unknown>, sessionId?: string): Promise<unknown>
  /** Resolves at the next event of this name. */
  event(method: string, sessionId?: string): Promise<unknown>
}

export function createDevTools(input: Writable, output: Readable): DevTools {
  const calls = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  const events = new Set<{ method: string; sessionId: string | undefined; resolve(value: unknown): void }>()
  const parts: Buffer[] = []
  let nextId = 1

  function take(text: string): void {
    const parsed = messageSchema.safeParse(JSON.parse(text))
    if (!parsed.success) return
    const { id, method, params, result, error, sessionId } = parsed.data
    if (id !== undefined) {
      const call = calls.get(id)
      calls.delete(id)
      if (error !== undefined) call?.reject(new Error(error.message))
      else call?.resolve(result)
    }
    for (const waiting of events) {
      if (waiting.method !== method || waiting.sessionId !== sessionId) continue
      events.delete(waiting)
      waiting.resolve(params)
    }
  }
  output.on('data', (chunk: Buffer) => {
    let from = 0
    for (let end = chunk.indexOf(0, from); end >= 0; end = chunk.indexOf(0, from)) {
      parts.push(chunk.subarray(from, end))
      take(Buffer.concat(parts.splice(0)).toString('utf8'))
      from = end + 1
    }
    if (from < chunk.length) parts.push(chunk.subarray(from))
  })
  // A browser that is gone is noticed by its process; its pipes have nothing to add.
  input.on('error', () => undefined)
  output.on('error', () => undefined)

  return {
    call: (method, params = {}, sessionId) =>
      new Promise((resolve, reject) => {
        const id = nextId++
        calls.set(id, { resolve, reject })
        input.write(`${JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) })}\0`)
      }),
    event: (method, sessionId) =>
      new Promise((resolve) => {
        events.add({ method, sessionId, resolve })
      }),
  }
}
