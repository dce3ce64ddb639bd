import { contextLabel, parseContext } from '../../../../shared/format/index.ts'

export type Context = number | 'max'

/** What was typed into a field of chips: what could be read, and a sentence about what couldn't. */
export interface Typed<Value> {
  values: Value[]
  /** The words that were not understood, to go on editing. */
  rest: string
  error?: string
}

const words = (text: string) => text.split(/[\s,;]+/).filter((word) => word !== '')

/** "0,8k 251k max" */
export function typedContexts(text: string): Typed<Context> {
  return readWords(text, (word) => [parseContext(word)])
}

const MOST_LEVELS = 64

/** "1,2,50:100:10"; a range has both ends. */
export function typedConcurrency(text: string): Typed<number> {
  return readWords(text, (word) => {
    const parts = word.split(':').map((part) => (/^\d{1,7}$/.test(part) ? Number(part) : Number.NaN))
    const [from = Number.NaN, to = from, step = 1] = parts
    if (parts.length > 3 || parts.some(Number.isNaN))
      throw new RangeError(`"${word}" is no number of requests: write 8, or a range like 50:100:10`)
    if (from < 1 || to > 4096) throw new RangeError('1 to 4,096 requests at once')
    if (to < from || step < 1) throw new RangeError(`"${word}" goes nowhere: a range is FROM:TO:STEP, upwards`)
    const count = Math.floor((to - from) / step) + 1
    if (count > MOST_LEVELS)
      throw new RangeError(`"${word}" is ${count.toLocaleString('en')} levels; at most ${MOST_LEVELS} make a grid`)
    return Array.from({ length: count }, (_, index) => from + index * step)
  })
}

function readWords<Value>(text: string, read: (word: string) => Value[]): Typed<Value> {
  const values: Value[] = []
  const rest: string[] = []
  let error: string | undefined
  for (const word of words(text)) {
    try {
      values.push(...read(word))
    } catch (thrown) {
      if (!(thrown instanceof RangeError)) throw thrown
      error ??= thrown.message
      rest.push(word)
    }
  }
  return { values, rest: rest.join(', '), ...(error !== undefined && { error }) }
}

/** Ascending, each once, `max` last. */
export function mergedContexts(before: readonly Context[], more: readonly Context[]): Context[] {
  const all = [...new Set([...before, ...more])]
  return [...all.filter((context) => context !== 'max').sort((a, b) => a - b), ...all.filter((context) => context === 'max')]
}

export const mergedLevels = (before: readonly number[], more: readonly number[]): number[] =>
  [...new Set([...before, ...more])].sort((a, b) => a - b)

export const contextText = (context: Context): string => (context === 'max' ? 'max' : contextLabel(context))
