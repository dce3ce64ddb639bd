import http from 'node:http'
import { createByteCollector, readJson } from '../../shared/bytes/index.ts'
import { SpeedgridError } from '../../shared/model/error.ts'
import type { HostLink } from '../ssh/types.ts'

const MAX_ANSWER_BYTES = 4 * 1024 * 1024

type Answer = { state: 'answered'; status: number; body: string } | { state: 'refused'; reason: string }

/**
 * One GET to a port of the host, through the SSH connection. Refused, cut or silent is an answer too; only a lost link throws (`link_lost`).
 * The key goes into the header and nowhere else.
 */
export async function get(
  link: HostLink,
  target: { port: number; address?: string },
  path: string,
  options: { apiKey?: string; timeoutMs?: number } = {},
): Promise<Answer> {
  let socket
  try {
    socket = await link.connect(target.port, target.address ?? '127.0.0.1')
  } catch (error) {
    if (error instanceof SpeedgridError && error.code === 'link_lost') throw error
    return { state: 'refused', reason: error instanceof Error ? error.message : 'refused' }
  }
  return await new Promise<Answer>((resolve) => {
    const finish = (answer: Answer) => {
      clearTimeout(timer)
      resolve(answer)
      request.destroy()
      socket.destroy()
    }
    const timer = setTimeout(() => finish({ state: 'refused', reason: 'no answer in time' }), options.timeoutMs ?? 10_000)
    const request = http.request(
      {
        method: 'GET',
        path,
        host: target.address ?? '127.0.0.1',
        port: target.port,
        agent: false,
        createConnection: () => socket,
        headers: { connection: 'close', ...(options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` }) },
      },
      (response) => {
        const held = createByteCollector(MAX_ANSWER_BYTES)
        response.on('data', (chunk: Buffer) => {
          if (!held.add(chunk)) finish({ state: 'refused', reason: 'an answer longer than 4 MiB' })
        })
        response.on('error', (error) => finish({ state: 'refused', reason: error.message }))
        response.on('end', () => finish({ state: 'answered', status: response.statusCode ?? 0, body: held.take() }))
      },
    )
    request.on('error', (error) => finish({ state: 'refused', reason: error.message }))
    request.end()
  })
}

/** The models that /v1/models lists, or undefined where the body is something else. */
export function readModels(body: string): { id: string; root?: string; maxModelLen?: number }[] | undefined {
  let parsed: unknown
  try {
    parsed = readJson(body)
  } catch {
    return undefined
  }
  const data = (parsed as { data?: unknown } | null)?.data
  if (!Array.isArray(data)) return undefined
  return data.flatMap((card: { id?: unknown; root?: unknown; max_model_len?: unknown }) =>
    typeof card?.id === 'string'
      ? [
          {
            id: card.id,
            ...(typeof card.root === 'string' ? { root: card.root } : {}),
            ...(typeof card.max_model_len === 'number' ? { maxModelLen: card.max_model_len } : {}),
          },
        ]
      : [],
  )
}
