/**
 * Every output event of an attempt in columns, in the order of arrival (one thread, so times never go back). Times are whole µs since the
 * attempt's start: exactly what the record keeps, so that any figure computed here can be recomputed from it.
 */
export interface EventLog {
  /** The attempt's start by the driver's clock, ms. */
  readonly originMs: number
  /** `request` is the index of the request in the attempt's list. */
  add(request: number, atMs: number, tokens: number): void
  readonly count: number
  readonly tokens: number
  columns(): EventColumns
  toUs(atMs: number): number
}

/** Columns of equal length; views of the log, valid until the next add. */
export interface EventColumns {
  timesUs: Float64Array
  tokens: Uint32Array
  requests: Uint32Array
}

const FIRST_CAPACITY = 16_384

export function createEventLog(originMs: number): EventLog {
  let capacity = FIRST_CAPACITY
  let count = 0
  let sum = 0
  let times = new Float64Array(capacity)
  let tokens = new Uint32Array(capacity)
  let requests = new Uint32Array(capacity)

  function grow(): void {
    capacity *= 2
    const [oldTimes, oldTokens, oldRequests] = [times, tokens, requests]
    times = new Float64Array(capacity)
    tokens = new Uint32Array(capacity)
    requests = new Uint32Array(capacity)
    times.set(oldTimes)
    tokens.set(oldTokens)
    requests.set(oldRequests)
  }

  const toUs = (atMs: number) => Math.round((atMs - originMs) * 1000)

  return {
    originMs,
    add(request, atMs, delta) {
      if (count === capacity) grow()
      times[count] = toUs(atMs)
      tokens[count] = delta
      requests[count] = request
      count += 1
      sum += delta
    },
    get count() {
      return count
    },
    get tokens() {
      return sum
    },
    columns: () => ({
      timesUs: times.subarray(0, count),
      tokens: tokens.subarray(0, count),
      requests: requests.subarray(0, count),
    }),
    toUs,
  }
}
