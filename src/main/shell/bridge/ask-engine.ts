import { z } from 'zod'
import type { Hub } from './hub.ts'

const LIMIT_MS = 60_000

/** The two kinds of answers of tRPC's WebSocket protocol to one request. */
const answerSchema = z.union([
  z.object({ id: z.literal(1), result: z.object({ data: z.unknown().optional() }) }),
  z.object({ id: z.literal(1), error: z.object({ message: z.string() }) }),
])

interface Question {
  method: 'query' | 'mutation'
  path: string
  input: unknown
}

/** One request in the shell's own name, on a connection of its own to the engine in use. Throws when it refuses, is gone or takes too long. */
export function askEngine(hub: Hub, { method, path, input }: Question): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(late)
      page.dispose()
    }
    const fail = (why: string) => {
      end()
      reject(new Error(why))
    }
    const page = hub.addPage((message) => {
      if (message.from === 'engine') {
        const answer = readAnswer(message.data)
        if (answer === undefined) return
        if ('error' in answer) fail(answer.error.message)
        else {
          end()
          resolve(answer.result.data)
        }
      } else if ('event' in message && message.event === 'engine' && message.state !== 'up') fail('The engine is gone.')
    })
    const late = setTimeout(() => {
      fail('The engine did not answer.')
    }, LIMIT_MS)
    if (page.connect() === 'up') page.toEngine(JSON.stringify({ id: 1, method, params: { path, input } }))
    else fail('The engine is gone.')
  })
}

/** Undefined for frames that are something else (keep-alive). */
function readAnswer(data: string): z.infer<typeof answerSchema> | undefined {
  try {
    return answerSchema.safeParse(JSON.parse(data)).data
  } catch {
    return undefined
  }
}
