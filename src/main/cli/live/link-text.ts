import type { SweepView } from '../../../shared/contract/sweeps.ts'

const LINK_DOWN: Record<NonNullable<SweepView['place']>, string> = {
  host: 'the link to the host is down, the sweep runs on',
  tunnel: 'the link to the host is down, the sweep waits for it',
  local: "the driver's folder on this machine can't be read",
}

/** What is in the way between this command and the driver; undefined where nothing is. */
export function linkText(view: Pick<SweepView, 'link' | 'linkReason' | 'place'>): string | undefined {
  const { link, linkReason: reason, place = 'host' } = view
  const what = {
    reading: undefined,
    link_down: LINK_DOWN[place],
    history_down:
      place === 'host' ? "the history can't be written, the sweep runs on at the host" : "the history can't be written",
    driver_silent: 'the driver says nothing',
    driver_gone: 'the driver is gone',
    not_attached: undefined,
  }[link]
  return what === undefined || reason === undefined ? what : `${what} (${reason})`
}
