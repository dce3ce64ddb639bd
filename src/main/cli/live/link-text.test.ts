import { expect, it } from 'vitest'
import { linkText } from './link-text.ts'

it('says what is in the way, for the place where the driver is', () => {
  expect(linkText({ state: 'reading' }, 'host')).toBeUndefined()
  expect(linkText({ state: 'link_down', reason: 'timeout' }, 'host')).toBe(
    'the link to the host is down, the sweep runs on (timeout)',
  )
  const locked = { state: 'history_down', reason: 'it is locked by another process' } as const
  expect(linkText(locked, 'host')).toContain('the sweep runs on at the host')
  expect(linkText({ state: 'link_down' }, 'tunnel')).toBe('the link to the host is down, the sweep waits for it')
  for (const state of ['link_down', 'history_down', 'driver_silent', 'driver_gone'] as const) {
    expect(linkText({ state, reason: 'why' }, 'local')).not.toMatch(/link|host/)
  }
  expect(linkText(locked, 'local')).toBe("the history can't be written (it is locked by another process)")
})
