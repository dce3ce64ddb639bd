import { deflateSync } from 'node:zlib'
import type { z } from 'zod'
import type { rawEventsSchema } from '../../../shared/model/cell.ts'
import type { EventColumns } from './event-log.ts'

export type RawEvents = z.infer<typeof rawEventsSchema>

const MAX_RAW_EVENTS = 65_536

/**
 * Layout `deltas-deflate-base64/1`: three columns of unsigned 32-bit little-endian numbers, one after the other, deflated (zlib), base64.
 *   1. µs since the previous event; the first since the attempt's start
 *   2. tokens the event brought
 *   3. index of its request in the attempt's `requests`
 * In order of arrival. A window's tokens are those of the events with windowOpenMs < t ≤ windowCloseMs.
 */
export function encodeRawEvents(columns: EventColumns, limit = MAX_RAW_EVENTS): RawEvents {
  const count = Math.min(columns.timesUs.length, limit)
  const data = Buffer.alloc(count * 12)
  let previous = 0
  for (let i = 0; i < count; i += 1) {
    const time = Math.max(previous, columns.timesUs[i] ?? 0)
    data.writeUInt32LE(Math.min(0xffff_ffff, time - previous), i * 4)
    previous = time
    data.writeUInt32LE(columns.tokens[i] ?? 0, (count + i) * 4)
    data.writeUInt32LE(columns.requests[i] ?? 0, (2 * count + i) * 4)
  }
  return {
    encoding: 'deltas-deflate-base64/1',
    count,
    truncated: columns.timesUs.length > count,
    data: deflateSync(data, { level: 6 }).toString('base64'),
  }
}
