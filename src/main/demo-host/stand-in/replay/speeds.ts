import type { Machine, PublishedCell, PublishedStatus } from '../../machines/index.ts'
import { calibrate } from './calibration.ts'
import type { AlternateRule } from './calibration.ts'

/** What a batch of `concurrency` requests at a context does. */
export interface Speed {
  /** ms between tokens of most streams. */
  itlMs: number
  /** ms between tokens of the others (calibration.ts). */
  alternateItlMs: number
  rule: AlternateRule
  /** ms to the first token with the prompt's prefix in the cache. */
  ttftMs: number
  status: PublishedStatus | 'unpublished'
}

export interface Speeds {
  /** Both whole numbers. */
  at(contextTokens: number, concurrency: number): Speed
  /** ms of a cold prefill of so many tokens, alone on the machine. */
  prefillMs(tokens: number): number
}

/** A prompt this near to a published context counts as that context (pages round, tools miss by 2.5 %). */
const SNAP = 0.03

interface Point {
  status: PublishedStatus
  itlMs: number
  ttftMs: number
  alternateRatio: number
  rule: AlternateRule
}

export function createSpeeds(machine: Machine): Speeds {
  const contexts = [...new Set(machine.cells.map((cell) => cell.contextTokens))].toSorted((a, b) => a - b)
  const levels = [...new Set(machine.cells.map((cell) => cell.concurrency))].toSorted((a, b) => a - b)
  const rows = contexts.map((context) => completeRow(machine, context, levels))
  const logLevels = levels.map(Math.log)
  const logContexts = contexts.map(Math.log)
  const smallest = contexts[0] ?? 1

  const rowAt = (row: readonly Point[], concurrency: number, read: (point: Point) => number) =>
    Math.exp(
      interpolate(
        logLevels,
        row.map((point) => Math.log(read(point))),
        Math.log(Math.max(1, concurrency)),
      ),
    )

  const smooth = (contextTokens: number, concurrency: number, read: (point: Point) => number) => {
    const values = rows.map((row) => rowAt(row, concurrency, read))
    const index = contexts.findIndex((context) => Math.abs(contextTokens / context - 1) <= SNAP)
    if (index >= 0) return values[index] ?? 0
    if (contextTokens > smallest) return Math.exp(interpolate(logContexts, values.map(Math.log), Math.log(contextTokens)))
    // Below the smallest context the cost of reading the cache shrinks in proportion, what every step costs stays.
    const [first = 0, second = first] = values
    const slope = (second - first) / ((contexts[1] ?? smallest * 2) - smallest)
    return Math.min(first, Math.max(first * 0.7, first + slope * (contextTokens - smallest)))
  }

  const known = new Map<number, Speed>()
  return {
    at(contextTokens, concurrency) {
      const key = contextTokens * 8192 + concurrency
      const before = known.get(key)
      if (before) return before
      if (known.size > 10_000) known.clear()
      const speed = compute(contextTokens, concurrency)
      known.set(key, speed)
      return speed
    },
    prefillMs: prefillCurve(machine),
  }

  function compute(contextTokens: number, concurrency: number): Speed {
    const itlMs = smooth(contextTokens, concurrency, (point) => point.itlMs)
    const point = nearest(contexts, levels, rows, contextTokens, concurrency)
    return {
      itlMs,
      alternateItlMs: itlMs * (point?.alternateRatio ?? 1),
      rule: point?.rule ?? 'fourth_stream',
      ttftMs: smooth(contextTokens, concurrency, (entry) => entry.ttftMs),
      status: point?.status ?? 'unpublished',
    }
  }
}

/** The published cell of this context and of the nearest level: a stream that is between two requests doesn't change the cell. */
function nearest(contexts: number[], levels: number[], rows: Point[][], contextTokens: number, concurrency: number) {
  const row = contexts.findIndex((context) => Math.abs(contextTokens / context - 1) <= SNAP)
  const wanted = Math.log2(Math.max(1, concurrency))
  const column = levels.findIndex((level) => Math.abs(Math.log2(level) - wanted) < 0.5)
  return rows[row]?.[column]
}

/**
 * Growth with the concurrency where a page stops measuring, as exponents: between what the measured rows show at high levels and
 * proportional. A row's own last step may be noise of the acceptance.
 */
const ITL_GROWTH = [0.4, 1] as const
const TTFT_GROWTH = [0.5, 1] as const

/** A row with its looped and over-capacity cells filled in from the measured ones, along the concurrency. */
function completeRow(machine: Machine, context: number, levels: number[]): Point[] {
  const cells = levels.map((level) => machine.cells.find((cell) => cell.contextTokens === context && cell.concurrency === level))
  const measured = cells.filter((cell): cell is Required<PublishedCell> => cell?.status === 'valid')
  const paces = measured.map((cell) => calibrate(cell, machine.speculation !== undefined))
  const logLevels = measured.map((cell) => Math.log(cell.concurrency))
  const fill = (values: number[], level: number, beyond: readonly [number, number]) =>
    Math.exp(interpolate(logLevels, values.map(Math.log), Math.log(level), beyond))
  return levels.map((level, column) => {
    const index = measured.findIndex((cell) => cell.concurrency === level)
    const cell = measured[index]
    const pace = paces[index]
    return {
      status: cells[column]?.status ?? 'valid',
      itlMs:
        pace?.mainMs ??
        fill(
          paces.map((entry) => entry.mainMs),
          level,
          ITL_GROWTH,
        ),
      ttftMs:
        cell?.ttftMs ??
        fill(
          measured.map((entry) => entry.ttftMs),
          level,
          TTFT_GROWTH,
        ),
      alternateRatio: pace ? pace.alternateMs / pace.mainMs : 1,
      rule: pace?.rule ?? 'fourth_stream',
    }
  })
}

/**
 * Time of a cold prefill. A page prints the rate with three digits and the time in whole ms, and its prompts were up to 2.5 % shorter
 * than their labels; the time taken here lies between what either figure says for the full length, so that both come out.
 */
function prefillCurve(machine: Machine): (tokens: number) => number {
  const rows = machine.prefill
  const lengths = rows.map((row) => row.contextTokens)
  const times = rows.map((row) => Math.sqrt(row.ttftMs * ((row.contextTokens / row.tokensPerSecond) * 1000)))
  const [firstLength = 1, secondLength = 2] = lengths
  const [firstTime = 1, secondTime = 2] = times
  // Below the smallest published length: a line through the first two, which leaves the fixed cost of a request at 0 tokens.
  const perToken = (secondTime - firstTime) / (secondLength - firstLength)
  const fixedMs = Math.max(5, firstTime - perToken * firstLength)
  return (tokens) => {
    if (tokens <= firstLength) return fixedMs + ((firstTime - fixedMs) * Math.max(0, tokens)) / firstLength
    return Math.exp(interpolate(lengths.map(Math.log), times.map(Math.log), Math.log(tokens)))
  }
}

/** Piecewise linear through (xs, ys), going on with the last slope on both sides, above within `beyond`; a single point is constant. */
function interpolate(xs: readonly number[], ys: readonly number[], x: number, beyond?: readonly [number, number]): number {
  const last = xs.length - 1
  if (last < 1) return ys[0] ?? 0
  const [lastX = 0, lastY = 0] = [xs[last], ys[last]]
  if (beyond && x > lastX) {
    const slope = (lastY - (ys[last - 1] ?? 0)) / (lastX - (xs[last - 1] ?? 0))
    return lastY + Math.min(beyond[1], Math.max(beyond[0], slope)) * (x - lastX)
  }
  let index = 0
  while (index < last - 1 && x > (xs[index + 1] ?? 0)) index += 1
  const [x0 = 0, x1 = 1] = [xs[index], xs[index + 1]]
  const [y0 = 0, y1 = 0] = [ys[index], ys[index + 1]]
  return y0 + ((y1 - y0) * (x - x0)) / (x1 - x0)
}
