import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hrefOf, parseRoute, type Route } from './routes.ts'

const text = fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' })
const optional = (...keys: string[]) => fc.record(Object.fromEntries(keys.map((key) => [key, text])), { requiredKeys: [] })
const anyRoute: fc.Arbitrary<Route> = fc.oneof(
  optional('host').map((more) => ({ screen: 'hosts' as const, ...more })),
  optional('launchId', 'host', 'command').map((more) => ({ screen: 'launch' as const, ...more })),
  optional('runId', 'host', 'server').map((more) => ({ screen: 'sweep' as const, ...more })),
  fc.record({ screen: fc.constant('cell' as const), runId: text, contextTokens: fc.nat(1_000_000), concurrency: fc.nat(4096) }),
  optional('runId', 'search').map((more) => ({ screen: 'history' as const, ...more })),
  optional('runId').map((more) => ({ screen: 'report' as const, ...more })),
  optional('section').map((more) => ({ screen: 'settings' as const, ...more })),
)

describe('addresses', () => {
  it('come back as they were, whatever names hold', () => {
    fc.assert(
      fc.property(anyRoute, (route) => {
        expect(parseRoute(hrefOf(route))).toEqual(route)
      }),
    )
  })

  it.each(['', '#', '#/', '#/nowhere', '#/%E0%A4%A', '#/javascript:alert(1)', '#//evil.example'])(
    '%s leads to the hosts',
    (hash) => {
      expect(parseRoute(hash)).toEqual({ screen: 'hosts' })
    },
  )

  it('a cell that is none leads to the history', () => {
    expect(parseRoute('#/cell/r1/many/1')).toEqual({ screen: 'history' })
  })
})
