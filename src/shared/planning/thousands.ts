import { withCommas } from '../format/index.ts'

/** 262144 → "262,144". */
export const thousands = (value: number): string => withCommas(String(Math.round(value)))
