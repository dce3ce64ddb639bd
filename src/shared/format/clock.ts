import { durationText } from './time.ts'

/** A clock that is off by less is as good as any: what a second's fraction, a slow answer and the time service make of it. */
const WORTH_SAYING_MS = 5000

/** What to say of a host's clock that is ahead of ours by this (ms; negative: behind); undefined where there is nothing to say. */
export function clockOffText(host: string, aheadMs: number): string | undefined {
  if (Math.abs(aheadMs) < WORTH_SAYING_MS) return undefined
  return `The clock of ${host} is ${durationText(Math.round(Math.abs(aheadMs) / 1000))} ${aheadMs > 0 ? 'ahead of' : 'behind'} ours`
}
