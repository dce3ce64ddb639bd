import { createRandom } from '../../test/mutations.ts'

export const KINDS = [
  'engine-kill',
  'engine-term',
  'engine-int',
  'engine-int-twice',
  'window-engine-kill',
  'driver-kill',
  'driver-freeze',
  'sshd-cut',
  'sshd-down',
  'sshd-freeze',
  'server-kill',
  'server-freeze',
  'run-disk-full',
  'data-disk-full',
  'database-locked',
  'ack-limit',
] as const
export type Kind = (typeof KINDS)[number]

/** Where in the run it happens: as soon as the spool says so, and a moment later. */
export const PLACES = ['start', 'prepare', 'prefill', 'warmup', 'scout', 'fill', 'window', 'drain', 'end'] as const
export type Place = (typeof PLACES)[number]
export type DriverPlace = 'host' | 'tunnel' | 'local'

export interface Case {
  /** `seed/number`: what `--only` takes. */
  id: string
  kind: Kind
  driver: DriverPlace
  place: Place
  /** Which time that the place is reached, from 1. */
  nth: number
  /** After the place was reached. */
  delayMs: number
  /** How long what is frozen, down or full stays so. */
  lastsMs: number
}

const OVER_SSH = new Set<Kind>(['sshd-cut', 'sshd-down', 'sshd-freeze'])
/** A driver beside the engine ends with it: nobody is left who could wait for an ack. */
const ON_HOST = new Set<Kind>(['ack-limit'])

export interface Wanted {
  kills: number
  seed: number
  /** Ids of the cases that are to run; all without it. */
  only?: readonly string[]
  kinds?: readonly Kind[]
  /** The longest that anything stays down, ms. */
  longestMs?: number
}

/** Every kind in turn, so that a short campaign has them all too; the rest by the seed. The same for the same seed, whatever runs of it. */
export function createCases({ kills, seed, only, kinds = KINDS, longestMs = 12_000 }: Wanted): Case[] {
  const cases = Array.from({ length: kills }, (_, number): Case => {
    const { pick, below } = createRandom(seed * 100_003 + number)
    const kind = kinds[(number + seed) % kinds.length] as Kind
    const drivers: DriverPlace[] = ON_HOST.has(kind)
      ? ['host']
      : OVER_SSH.has(kind)
        ? ['host', 'tunnel']
        : ['host', 'tunnel', 'local']
    return {
      id: `${String(seed)}/${String(number)}`,
      kind,
      driver: pick(drivers),
      place: pick(PLACES),
      nth: 1 + below(3),
      delayMs: below(600),
      // More short ones than long ones.
      lastsMs: 500 + below(below(longestMs - 500) + 1),
    }
  })
  return only === undefined ? cases : cases.filter(({ id }) => only.includes(id))
}
