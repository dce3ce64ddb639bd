import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRedactor } from '../../shared/secrets/index.ts'
import { createLogRedaction } from './log-redaction.ts'

test('a secret is gone wherever its line was cut into pieces; everything else comes through', () => {
  const log = 'INFO one\r 5%|x\rkey is Zq7tr0ub4dor\nWARN {"api_key": "abcdefgh"} last Zq7tr0ub4dor'
  fc.assert(
    fc.property(fc.array(fc.nat(log.length), { maxLength: 8 }), (cuts) => {
      const redaction = createLogRedaction(createRedactor(['Zq7tr0ub4dor']).text)
      const places = [0, ...cuts.toSorted((a, b) => a - b), log.length]
      const pieces = places.slice(1).map((to, index) => redaction.push(log.slice(places[index], to)))
      expect(pieces.join('') + redaction.end()).toBe(
        'INFO one\r 5%|x\rkey is <redacted>\nWARN {"api_key": "<redacted>"} last <redacted>',
      )
    }),
  )
})

test('a line without an end is not kept for ever', () => {
  const redaction = createLogRedaction((text) => text)
  expect(redaction.push('x'.repeat(70_000))).toHaveLength(70_000)
})
