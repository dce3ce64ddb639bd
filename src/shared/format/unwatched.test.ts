import { expect, it } from 'vitest'
import { unwatchedText } from './unwatched.ts'

it('says what is known of a run that nobody reads', () => {
  expect(unwatchedText({ state: 'running' })).toBeUndefined()
  const unwatched = { lastHeardAt: '2026-03-01T10:00:04.000Z' }
  expect(unwatchedText({ state: 'running', unwatched, place: 'host', host: 'lab' })).toBe(
    'not watched: last heard of at 2026-03-01 10:00:04 UTC, then running; its driver on lab may still run: speedgrid resume looks, and reads on or goes on',
  )
  expect(unwatchedText({ state: 'planned', unwatched: {}, place: 'local' })).toBe(
    'not watched: nothing was heard of its driver yet; speedgrid resume goes on',
  )
})
