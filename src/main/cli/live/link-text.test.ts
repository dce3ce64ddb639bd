import { expect, it } from 'vitest'
import { linkText } from './link-text.ts'

it('says what is in the way, for the place where the driver is', () => {
  expect(linkText({ link: 'reading', place: 'host' })).toBeUndefined()
  expect(linkText({ link: 'link_down', linkReason: 'timeout', place: 'host' })).toBe(
    'the link to the host is down, the sweep runs on (timeout)',
  )
  const locked = { link: 'history_down', linkReason: 'it is locked by another process' } as const
  expect(linkText({ ...locked, place: 'host' })).toContain('the sweep runs on at the host')
  expect(linkText({ link: 'link_down', place: 'tunnel' })).toBe('the link to the host is down, the sweep waits for it')
  for (const link of ['link_down', 'history_down', 'driver_silent', 'driver_gone'] as const) {
    expect(linkText({ link, linkReason: 'why', place: 'local' })).not.toMatch(/link|host/)
  }
  expect(linkText({ ...locked, place: 'local' })).toBe("the history can't be written (it is locked by another process)")
})
