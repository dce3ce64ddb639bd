import { type Plan, planSchema } from '../../../shared/model/plan.ts'

const K = 1024

/** Small enough for under a minute, wide enough to see what contexts and concurrency do. */
export function demoPlan(full: boolean): Plan {
  return planSchema.parse(full ? PUBLISHED : QUICK)
}

const QUICK = {
  contexts: [8 * K, 32 * K, 128 * K],
  concurrency: [1, 4, 8],
  prefillContexts: [8 * K, 32 * K, 128 * K],
  seconds: 2,
  maxOutputTokens: 512,
  settleSeconds: 0.3,
}

const PUBLISHED = {
  contexts: [8 * K, 16 * K, 32 * K, 64 * K, 128 * K, 251 * K],
  concurrency: [1, 2, 4, 8, 16, 32, 64, 128],
  // The last one is the longest prompt there is room for without an answer: 256K.
  prefillContexts: [8 * K, 16 * K, 32 * K, 64 * K, 128 * K, 251 * K, 'max'],
  seconds: 30,
  maxOutputTokens: 4096,
}
