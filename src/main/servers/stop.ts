import { flagValue } from '../../shared/command/index.ts'
import { SpeedgridError } from '../../shared/model/error.ts'
import type { HostLink } from '../ssh/types.ts'
import type { Clock } from './clock.ts'
import { endSession } from './end-session.ts'
import { type GpuUse, readGpuUse } from './gpus.ts'
import { listenersOf } from './port.ts'
import { removeOwnFolder } from './remote-folder.ts'
import { viewSession } from './session.ts'
import type { StoredServer } from './state-file.ts'
import type { StopReport } from './types.ts'

export interface StopTimes {
  /** Beyond --shutdown-timeout. */
  leaderGraceMs: number
  restGraceMs: number
  /** GPU memory can come back seconds after the process ended. */
  gpuGraceMs: number
  pollMs: number
}

export const STOP_TIMES: StopTimes = { leaderGraceMs: 30_000, restGraceMs: 8_000, gpuGraceMs: 15_000, pollMs: 500 }

/** Stops a server of ours and says what it can prove. Only processes of its own session are signalled; its folder is removed when all are gone. */
export async function stopServer(
  link: HostLink,
  stored: StoredServer,
  clock: Clock,
  times: StopTimes,
  onEvent?: (text: string) => void,
): Promise<StopReport> {
  const { server } = stored.state
  const begun = clock.nowMs()
  if (server.adopted) await refuseAdopted(link, stored)
  const before = await readGpuUse(link)
  const shutdownSeconds = Number(flagValue(server.startedArgv ?? [], '--shutdown-timeout') ?? 0) || 0
  const ended =
    server.identity === undefined || server.adopted
      ? { signalled: [], left: [], pids: [], notes: [] }
      : await endSession(link, server.id, server.identity, {
          clock,
          leaderGraceMs: times.leaderGraceMs + shutdownSeconds * 1000,
          restGraceMs: times.restGraceMs,
          pollMs: times.pollMs,
          ...(onEvent === undefined ? {} : { onEvent }),
        })
  const notes = [...ended.notes]
  const listeners = await listenersOf(link, server.port)
  if (listeners.length > 0) {
    const owners = listeners.flatMap(({ pids, uid }) =>
      pids.length > 0 ? pids.map(String) : [`a process of user id ${String(uid)}`],
    )
    notes.push(`port ${String(server.port)} is in use by another process: ${owners.join(', ')}`)
  }
  const gpuMemory = before === undefined ? undefined : await gpusAfter(link, before, ended.pids, clock, times, notes)
  if (ended.left.length === 0) {
    await removeOwnFolder(link, stored.folder)
  }
  return {
    stopped: ended.left.length === 0,
    signalled: ended.signalled,
    left: ended.left.map(({ pid, command }) => ({ pid, command })),
    portFree: listeners.length === 0,
    ...(gpuMemory === undefined ? {} : { gpuMemory }),
    seconds: (clock.nowMs() - begun) / 1000,
    notes,
  }
}

/** A server that somebody else started is theirs to stop; the record of one that is gone may be removed. */
async function refuseAdopted(link: HostLink, { state }: StoredServer): Promise<void> {
  const { server } = state
  const view = server.identity === undefined ? undefined : await viewSession(link, undefined, server.identity, 'leader')
  const alive = view === undefined ? (await listenersOf(link, server.port)).length > 0 : view.state === 'ours'
  if (!alive) return
  throw new SpeedgridError('conflict', `${server.id} was not started by Speedgrid, so it is not stopped by it either`, {
    evidence: [`port ${String(server.port)}${server.identity === undefined ? '' : `, process ${String(server.identity.pid)}`}`],
    nextStep: 'Stop it the way it was started. Its record here goes away by itself once it is gone.',
  })
}

async function gpusAfter(
  link: HostLink,
  before: GpuUse,
  pids: readonly number[],
  clock: Clock,
  times: StopTimes,
  notes: string[],
): Promise<StopReport['gpuMemory']> {
  const end = clock.nowMs() + times.gpuGraceMs
  for (;;) {
    const after = await readGpuUse(link)
    const ours = after?.computePids.filter((pid) => pids.includes(pid)) ?? []
    if (after !== undefined && ours.length > 0 && clock.nowMs() < end) {
      await clock.sleep(times.pollMs)
      continue
    }
    if (after === undefined) notes.push('nvidia-smi did not answer after the stop')
    else notes.push(ours.length > 0 ? `nvidia-smi still lists: ${ours.join(', ')}` : 'nvidia-smi lists no process of ours')
    return before.gpus.map(({ index, memoryMiB }) => {
      const now = after?.gpus.find((gpu) => gpu.index === index)?.memoryMiB
      return {
        index,
        ...(memoryMiB === undefined ? {} : { beforeMiB: memoryMiB }),
        ...(now === undefined ? {} : { afterMiB: now }),
      }
    })
  }
}
