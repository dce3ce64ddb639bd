import type { EventColumns } from '../event-log.ts'

export interface WindowTokens {
  tokens: number
  /** Events that arrived inside it. */
  events: number
  /** Tokens and events by second since the opening. */
  secondTokens: number[]
  secondEvents: number[]
}

/** A gap this much shorter than usual: the event was held up with the one before it, and came with it. */
const BURST_SHARE = 0.25

/** Mean time between the events of each request: unlike the middle one, it stays what it is when they come in bursts. */
function meanGapsUs({ timesUs, requests }: EventColumns, requestCount: number): Float64Array {
  const firstUs = new Float64Array(requestCount)
  const lastUs = new Float64Array(requestCount)
  const count = new Float64Array(requestCount)
  for (let i = 0; i < timesUs.length; i += 1) {
    const request = requests[i] ?? 0
    if (count[request] === 0) firstUs[request] = timesUs[i] ?? 0
    lastUs[request] = timesUs[i] ?? 0
    count[request] = (count[request] ?? 0) + 1
  }
  return lastUs.map((last, request) => (last - (firstUs[request] ?? 0)) / Math.max(1, (count[request] ?? 0) - 1))
}

/**
 * When the tokens of each event began to be made: at the request's last event. Of a burst (what was read in one go after a stall of ours, or
 * sent in one go after a stall of the server's or the way's) all began at the last event before it. A request's first event is its own beginning.
 */
export function madeSinceUs(columns: EventColumns, requestCount: number): Float64Array {
  const { timesUs, requests } = columns
  const usualUs = meanGapsUs(columns, requestCount)
  const lastUs = new Float64Array(requestCount).fill(-1)
  const burstUs = new Float64Array(requestCount)
  const sinceUs = new Float64Array(requestCount)
  const result = new Float64Array(timesUs.length)
  for (let i = 0; i < timesUs.length; i += 1) {
    const time = timesUs[i] ?? 0
    const request = requests[i] ?? 0
    const last = lastUs[request] ?? -1
    const burst = burstUs[request] ?? time
    const isQuick = time - last <= BURST_SHARE * (usualUs[request] ?? 0)
    // A burst is short beside the gap before it: a stream that has become fast is none.
    const isBurst = last >= 0 && (time === last || (isQuick && time - burst <= BURST_SHARE * (burst - (sinceUs[request] ?? 0))))
    if (!isBurst) {
      sinceUs[request] = last < 0 ? time : last
      burstUs[request] = time
    }
    lastUs[request] = time
    result[i] = sinceUs[request] ?? time
  }
  return result
}

/**
 * Tokens of the window, each at the time it was made: an event that lies across an edge counts for the part of its time that is inside. What
 * is counted in two neighbouring windows is what is counted in both together.
 */
export function countWindow(
  columns: EventColumns,
  weights: ArrayLike<number>,
  sincesUs: ArrayLike<number>,
  openUs: number,
  closeUs: number,
): WindowTokens {
  const result: WindowTokens = { tokens: 0, events: 0, secondTokens: [], secondEvents: [] }
  const { timesUs, tokens, requests } = columns

  /** An amount made evenly in (fromUs, toUs], both inside the window. */
  function add(amount: number, fromUs: number, toUs: number): void {
    result.tokens += amount
    // What was made up to the end of a second belongs to it: (0, 1], (1, 2], …
    const last = Math.max(0, Math.ceil((toUs - openUs) / 1e6) - 1)
    for (let second = Math.min(last, Math.floor((fromUs - openUs) / 1e6)); second <= last; second += 1) {
      const inside = Math.min(toUs, openUs + (second + 1) * 1e6) - Math.max(fromUs, openUs + second * 1e6)
      const share = toUs > fromUs ? inside / (toUs - fromUs) : 1
      result.secondTokens[second] = (result.secondTokens[second] ?? 0) + amount * share
    }
  }

  for (let i = 0; i < timesUs.length; i += 1) {
    const time = timesUs[i] ?? 0
    const since = sincesUs[i] ?? time
    if (time <= openUs || since > closeUs || (since === closeUs && time > since)) continue
    if (time <= closeUs) {
      const second = Math.floor((time - openUs) / 1e6)
      result.events += 1
      result.secondEvents[second] = (result.secondEvents[second] ?? 0) + 1
    }
    const amount = (tokens[i] ?? 0) * (weights[requests[i] ?? 0] ?? 1)
    if (amount === 0) continue
    const [from, to] = [Math.max(since, openUs), Math.min(time, closeUs)]
    add(time > since ? (amount * (to - from)) / (time - since) : amount, from, to)
  }
  return result
}

/** Tokens of the events that arrived in fromUs < t ≤ toUs: what a counter that grows with every event is compared with. */
export function countArrived(columns: EventColumns, weights: ArrayLike<number>, fromUs: number, toUs: number): number {
  const { timesUs, tokens, requests } = columns
  let sum = 0
  for (let i = 0; i < timesUs.length; i += 1) {
    const time = timesUs[i] ?? 0
    if (time > fromUs && time <= toUs) sum += (tokens[i] ?? 0) * (weights[requests[i] ?? 0] ?? 1)
  }
  return sum
}
