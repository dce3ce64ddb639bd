import { readFileSync } from 'node:fs'

/** `alive` only where it is the very process: the same pid with another start time is somebody else. */
export function isProcessAlive(pid: number, startTicks: string): boolean {
  const stat = readStat(pid)
  if (stat !== undefined) return stat.state !== 'Z' && stat.state !== 'X' && (startTicks === '' || stat.startTicks === startTicks)
  if (process.platform === 'linux') return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Start time of a process in clock ticks since boot (field 22 of /proc/PID/stat); '' where the system has no /proc. */
export function readStartTicks(pid: number): string {
  return readStat(pid)?.startTicks ?? ''
}

function readStat(pid: number): { state: string; startTicks: string } | undefined {
  try {
    const text = readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
    // The command in field 2 may hold spaces and brackets: count from its last bracket.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0] ?? '', startTicks: fields[19] ?? '' }
  } catch {
    return undefined
  }
}
