import type { SweepHandle } from '../../sweep/types.ts'

export type Link = Parameters<Parameters<SweepHandle['onLink']>[0]>[0]

const LINK_DOWN: Record<string, string> = {
  host: 'the link to the host is down, the sweep runs on',
  tunnel: 'the link to the host is down, the sweep waits for it',
  local: "the driver's folder on this machine can't be read",
}

/** What is in the way between this command and the driver; undefined where nothing is. */
export function linkText({ state, reason }: Link, place: string): string | undefined {
  const what = {
    reading: undefined,
    link_down: LINK_DOWN[place] ?? LINK_DOWN.host,
    history_down:
      place === 'host' ? "the history can't be written, the sweep runs on at the host" : "the history can't be written",
    driver_silent: 'the driver says nothing',
    driver_gone: 'the driver is gone',
  }[state]
  return what === undefined || reason === undefined ? what : `${what} (${reason})`
}
