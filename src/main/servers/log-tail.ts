import { StringDecoder } from 'node:string_decoder'
import { SpeedgridError } from '../../shared/model/error.ts'
import type { HostLink } from '../ssh/types.ts'
import type { Clock } from './clock.ts'

const CHUNK_BYTES = 256 * 1024

/** Reads a growing file from where it stopped; each call reads to the present end. */
export function createFileReader(path: string, startAt = 0) {
  let offset = startAt
  return {
    /** The number of new bytes. Throws what files.read throws (`not_found` where the file is gone). */
    read: async (link: HostLink, onBytes: (chunk: Buffer) => void): Promise<number> => {
      const before = offset
      for (;;) {
        const chunk = await link.files.read(path, offset, CHUNK_BYTES)
        if (chunk.length === 0) return offset - before
        offset += chunk.length
        onBytes(chunk)
        if (chunk.length < CHUNK_BYTES) return offset - before
      }
    },
  }
}

interface TailOptions {
  follow?: boolean
  signal?: AbortSignal
  tailBytes?: number
  pollMs?: number
}

const RETRY_MS = 2_000

/**
 * The file's text from its end less `tailBytes`. With `follow` it goes on until the signal aborts or the file is gone, over broken
 * connections too: `connect` is asked again, and reading goes on at the same byte.
 */
export async function tailFile(
  connect: () => Promise<HostLink>,
  path: string,
  onText: (text: string) => void,
  clock: Clock,
  options: TailOptions = {},
): Promise<void> {
  const { signal, follow = false } = options
  const link = await connect()
  const found = await link.files.stat(path)
  if (found === undefined) throw new SpeedgridError('not_found', `there is no log at ${path}`)
  const start = options.tailBytes === undefined ? 0 : Math.max(0, found.size - options.tailBytes)
  const reader = createFileReader(path, start)
  const decoder = new StringDecoder('utf8')
  for (;;) {
    if (signal?.aborted === true) return
    try {
      await reader.read(await connect(), (chunk) => {
        const text = decoder.write(chunk)
        if (text !== '') onText(text)
      })
    } catch (error) {
      if (!follow || !(error instanceof SpeedgridError)) throw error
      if (error.code === 'not_found') return
      if (error.code !== 'link_lost' && error.code !== 'unreachable') throw error
      await clock.sleep(RETRY_MS, signal)
      continue
    }
    if (!follow) return
    await clock.sleep(options.pollMs ?? 300, signal)
  }
}
