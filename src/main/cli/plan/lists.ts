import { parseContexts as readContexts } from '../../../shared/format/index.ts'
import { SpeedgridError } from '../../../shared/model/error.ts'

/** `8k` → 8192 tokens (k = ×1024). `name` is what the person wrote it for, for the error. */
export function parseTokens(text: string, name: string): number {
  const [value] = contextsOf(text, name, 'a number of tokens like 8192 or 8k (k = ×1024)')
  if (value === undefined || value === 'max' || text.includes(','))
    throw badValue(name, text, 'a number of tokens like 8192 or 8k (k = ×1024)')
  return value
}

/** `0,8k,max` → [0, 8192, 'max']. */
export function parseContexts(text: string, name: string): (number | 'max')[] {
  return contextsOf(text, name, 'contexts like 0,8k,128k or max (k = ×1024)')
}

function contextsOf(text: string, name: string, wanted: string): (number | 'max')[] {
  try {
    return readContexts(text)
  } catch (error) {
    if (error instanceof RangeError) throw badValue(name, text, wanted)
    throw error
  }
}

/** `1,2,8` and ranges `50:100:10` (both ends included). */
export function parseConcurrency(text: string, name: string): number[] {
  return items(text, name, 'levels like 1,2,8 or 50:100:10').flatMap((item) => {
    const parts = item.split(':').map((part) => (/^\d+$/.test(part.trim()) ? Number(part) : Number.NaN))
    const [from = Number.NaN, to = from, step = 1] = parts
    if (parts.length > 3 || parts.some(Number.isNaN))
      throw badValue(name, item, 'a level like 8, or a range FROM:TO:STEP like 50:100:10')
    if (to < from || step < 1) throw badValue(name, item, 'a range that goes upwards in steps of at least 1')
    if ((to - from) / step > 4096) throw badValue(name, item, 'a range of at most 4,096 levels')
    return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step)
  })
}

export function parseNumber(text: string, name: string): number {
  const value = /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : Number.NaN
  if (Number.isNaN(value)) throw badValue(name, text, 'a number')
  return value
}

export function badValue(name: string, value: unknown, wanted: string): SpeedgridError {
  const shown = typeof value === 'string' ? value : JSON.stringify(value)
  return new SpeedgridError('plan', `${name} can't be ${shown === '' ? 'empty' : `"${shown.slice(0, 80)}"`}.`, {
    nextStep: `Give ${wanted}.`,
  })
}

function items(text: string, name: string, wanted: string): string[] {
  const list = text.split(',').map((item) => item.trim())
  if (list.some((item) => item === '')) throw badValue(name, text, wanted)
  return list
}
