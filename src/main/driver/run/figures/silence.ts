import { median } from '../../../../shared/stats/index.ts'
import type { EventColumns } from '../event-log.ts'
import type { TrackedRequest } from '../streams.ts'

export interface Silence {
  /** Since the window's opening. */
  afterSeconds: number
  seconds: number
}

interface SilenceInput {
  columns: EventColumns
  requests: TrackedRequest[]
  openUs: number
  closeUs: number
  medianGapUs: number
  /** The attempt's start, ms: what the columns count from. */
  originMs: number
}

const FLOOR_US = 100_000
const GAPS = 3
/** A silence inside the window matters once it is this share of it; one that lasts until its end may go on behind it. */
const SHARE = 0.02
/** What was held up (our own stall, or the way's) comes in one go; a server that goes on from where it stood still sends as it always did. */
const BACKLOG_US = 50_000
const BACKLOG_SHARE = 0.5

/** Some request was being prefilled, and took no longer for it than others did: decoding waits for that on many servers. */
function isPrefill(input: SilenceInput, fromUs: number, toUs: number): boolean {
  const ttft = ({ result }: TrackedRequest) =>
    result.firstEventMs === undefined ? undefined : result.firstEventMs - result.startMs
  const usualMs = median(input.requests.map(ttft).filter((value) => value !== undefined)) ?? 0
  return input.requests.some(({ result }) => {
    const startUs = (result.startMs - input.originMs) * 1000
    const firstUs = result.firstEventMs === undefined ? Infinity : (result.firstEventMs - input.originMs) * 1000
    if (startUs > fromUs + (toUs - fromUs) / 4 || firstUs < toUs) return false
    return Math.min(firstUs, toUs) - startUs <= 2000 * usualMs
  })
}

/** Whether what came right behind the silence is what would have come in it. */
function isBacklog(input: SilenceInput, fromUs: number, toUs: number): boolean {
  const { timesUs } = input.columns
  const within = Math.min(BACKLOG_US, (toUs - fromUs) / 4)
  let behind = 0
  let others = 0
  for (const time of timesUs) {
    if (time >= toUs && time <= toUs + within) behind += 1
    else if (time > input.openUs && time <= input.closeUs) others += 1
  }
  const expected = (others / Math.max(1, input.closeUs - input.openUs - (toUs - fromUs))) * (toUs - fromUs)
  return behind >= BACKLOG_SHARE * expected
}

/**
 * The longest time inside the window in which no stream got anything although the server should have been sending: a server that stood
 * still. Not what a prefill explains, and not what was only read late.
 */
export function longestSilence(input: SilenceInput): Silence | undefined {
  const { columns, openUs, closeUs, medianGapUs } = input
  const atEndUs = Math.max(FLOOR_US, GAPS * medianGapUs)
  const insideUs = Math.max(atEndUs, SHARE * (closeUs - openUs))
  let longest: { fromUs: number; toUs: number } | undefined
  const consider = (fromUs: number, toUs: number, limitUs: number): void => {
    if (toUs - fromUs <= limitUs || (longest && toUs - fromUs <= longest.toUs - longest.fromUs)) return
    if (isPrefill(input, fromUs, toUs) || isBacklog(input, fromUs, toUs)) return
    longest = { fromUs, toUs }
  }
  let previousUs = openUs
  for (const time of columns.timesUs) {
    if (time <= openUs) continue
    if (time > closeUs) break
    consider(previousUs, time, insideUs)
    previousUs = time
  }
  // What comes behind the window tells whether this was a silence of the server's or of ours.
  const next = columns.timesUs.find((time) => time > closeUs)
  if (closeUs - previousUs > atEndUs) consider(previousUs, next ?? closeUs, atEndUs)
  if (!longest) return undefined
  return { afterSeconds: (longest.fromUs - openUs) / 1e6, seconds: (longest.toUs - longest.fromUs) / 1e6 }
}
