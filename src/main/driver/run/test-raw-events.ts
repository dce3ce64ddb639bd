import { inflateSync } from 'node:zlib'
import type { EventColumns } from './event-log.ts'
import type { RawEvents } from './raw-events.ts'

/** The columns again. Throws where the data isn't what `count` says. */
export function decodeRawEvents(raw: RawEvents): EventColumns {
  const data = inflateSync(Buffer.from(raw.data, 'base64'))
  if (data.length !== raw.count * 12) throw new Error(`raw events: ${data.length} bytes for ${raw.count} events`)
  const columns = {
    timesUs: new Float64Array(raw.count),
    tokens: new Uint32Array(raw.count),
    requests: new Uint32Array(raw.count),
  }
  let time = 0
  for (let i = 0; i < raw.count; i += 1) {
    time += data.readUInt32LE(i * 4)
    columns.timesUs[i] = time
    columns.tokens[i] = data.readUInt32LE((raw.count + i) * 4)
    columns.requests[i] = data.readUInt32LE((2 * raw.count + i) * 4)
  }
  return columns
}
