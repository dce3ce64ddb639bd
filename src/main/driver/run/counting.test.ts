import { expect, it } from 'vitest'
import type { RequestResult } from '../stream/types.ts'
import { chooseCounting } from './counting.ts'

const answer = (changes: Partial<RequestResult> = {}): RequestResult => ({
  startMs: 0,
  outputTokens: 32,
  events: 32,
  completed: true,
  tokenSource: 'usage',
  cancelled: false,
  ...changes,
})
const SERVER = { wanted: 'auto' as const, warmUps: [answer()], hasServerCounter: true, isSpeculative: false }
const WITH_EVENTS = { withEvents: true, oneTokenAnEvent: false }

it.each([
  ['each event is one token, and there is a counter', {}, { withEvents: false, oneTokenAnEvent: true }],
  [
    'the first of two answers came in larger pieces',
    { warmUps: [answer({ events: 20 }), answer()] },
    { withEvents: false, oneTokenAnEvent: true },
  ],
  ['events hold several tokens', { warmUps: [answer({ events: 7 }), answer({ events: 8 })] }, WITH_EVENTS],
  ['too few events were seen', { warmUps: [answer({ events: 4, outputTokens: 4 })] }, WITH_EVENTS],
  ['the server tells no running count', { warmUps: [answer({ tokenSource: 'events' })] }, WITH_EVENTS],
  ['there is no counter to check by', { hasServerCounter: false }, WITH_EVENTS],
  ['speculation may guess much in the next text', { isSpeculative: true }, WITH_EVENTS],
  ['the plan wants it', { wanted: 'with-events' as const }, WITH_EVENTS],
  ['the plan wants none', { wanted: 'at-end' as const, hasServerCounter: false }, { withEvents: false, oneTokenAnEvent: true }],
  [
    'the plan wants none of several',
    { wanted: 'at-end' as const, isSpeculative: true },
    { withEvents: false, oneTokenAnEvent: false },
  ],
])('the running count is chosen when %s', (_when, changes, expected) => {
  expect(chooseCounting({ ...SERVER, ...changes })).toEqual(expected)
})
