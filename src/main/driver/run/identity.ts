import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import type { ProcessIdentity } from '../../../shared/model/server.ts'

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** Session and start time of a process from /proc/PID/stat; undefined where it doesn't exist (or there is no /proc). */
export function procStat(pid: number): { session: number; startTicks: string; state: string } | undefined {
  const stat = read(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  // The command's name may hold spaces and brackets: fields start after its last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0] ?? '', session: Number(fields[3]), startTicks: fields[19] ?? '' }
}

/** Identity of this process. Without /proc (macOS, Windows) pid and start time alone have to do. */
export function ownIdentity(): ProcessIdentity {
  const stat = procStat(process.pid)
  return {
    hostName: hostname(),
    bootId: read('/proc/sys/kernel/random/boot_id')?.trim() ?? '',
    pid: process.pid,
    session: stat?.session ?? process.pid,
    startTicks: stat?.startTicks ?? String(Math.round(Date.now() - process.uptime() * 1000)),
  }
}

/** Whether the process still lives: same session and start time, and not a zombie. */
export function isAlive(identity: ProcessIdentity): boolean {
  const stat = procStat(identity.pid)
  return stat !== undefined && stat.startTicks === identity.startTicks && stat.session === identity.session && stat.state !== 'Z'
}
