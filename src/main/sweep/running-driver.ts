import { SpeedgridError } from '../../shared/model/error.ts'
import { createRedactor } from '../../shared/secrets/index.ts'
import { readClockAheadMs } from '../hosts/index.ts'
import type { HostLink, Tunnel } from '../ssh/types.ts'
import type { DriverLocation } from '../store/index.ts'
import { checkLocal, checkRemote, type Liveness, readIdentity } from './driver-identity.ts'
import { createLocalFolder, createRemoteFolder, type RunFolder } from './run-folder.ts'

export type Way = Pick<Tunnel, 'state' | 'onStateChange'>

/** A driver as its watcher sees it, wherever it runs. */
export interface RunningDriver {
  readonly place: DriverLocation['place']
  readonly folder: RunFolder
  /** The way from the driver to the server, where it is ours (the tunnel). */
  readonly way?: Way
  /** Looks now. Throws where it can't be seen (the link is down). */
  look(): Promise<Liveness>
  /** Asks the process to end, if it is still ours. */
  terminate(signal: 'TERM' | 'KILL'): Promise<void>
  /** How far its clock is ahead of ours, ms. Throws where it can't be asked (the link is down). */
  clockAheadMs(): Promise<number>
  /** Lets go of what the engine holds for it (tunnel, telemetry, standard input). The process isn't touched. */
  release(): Promise<void>
}

/** The driver at a location that some engine started. */
export function attachDriver(location: DriverLocation, connect: (host: string) => Promise<HostLink>): RunningDriver {
  if (location.place !== 'host') return attachLocalDriver(location.place, createLocalFolder(location.folder))
  const { host } = location
  if (host === undefined) throw new SpeedgridError('internal', 'The location of the driver names no host')
  return attachHostDriver(createRemoteFolder({ connect: () => connect(host), path: location.folder }), () => connect(host))
}

/** Whether the driver of a run folder on a host lives. Throws where it can't be seen. */
export async function isDriverAlive(link: HostLink, folder: string): Promise<boolean> {
  const connect = () => Promise.resolve(link)
  return (await attachHostDriver(createRemoteFolder({ connect, path: folder }), connect).look()).alive
}

export function attachHostDriver(folder: RunFolder, connect: () => Promise<HostLink>): RunningDriver {
  const identity = () => readIdentity(folder)
  let aheadMs: number | undefined
  return {
    place: 'host',
    // Measured once: lines of one driver keep their distances.
    clockAheadMs: async () => (aheadMs ??= await readClockAheadMs(await connect())),
    folder,
    look: async () => {
      const known = await identity()
      return known === undefined ? neverStarted : await checkRemote(await connect(), known)
    },
    terminate: async (signal) => {
      const known = await identity()
      if (known !== undefined) await checkRemote(await connect(), known, signal)
    },
    release: () => Promise.resolve(),
  }
}

export function attachLocalDriver(
  place: 'tunnel' | 'local',
  folder: RunFolder,
  release = () => Promise.resolve(),
  way?: Way,
): RunningDriver {
  return {
    place,
    clockAheadMs: () => Promise.resolve(0),
    folder,
    ...(way ? { way } : {}),
    look: async () => {
      const known = await readIdentity(folder)
      return known === undefined ? neverStarted : checkLocal(known)
    },
    terminate: async (signal) => {
      const known = await readIdentity(folder)
      if (known === undefined || !checkLocal(known).alive) return
      try {
        process.kill(known.pid, `SIG${signal}`)
      } catch {
        // it has ended in between
      }
    },
    release,
  }
}

const neverStarted: Liveness = { alive: false, evidence: 'there is no driver.json: it never started, or its folder is gone' }

/** The end of what the driver wrote outside its spool, without the API key. */
export async function readLogTail(folder: RunFolder, apiKey?: string): Promise<string[]> {
  const text = (await folder.read('driver.log')).toString('utf8')
  const clean = createRedactor(apiKey === undefined ? [] : [apiKey]).text(text)
  return clean
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-10)
    .map((line) => line.slice(0, 500))
}
