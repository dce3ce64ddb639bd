import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** The fields of /proc/PID/stat behind the command's name; undefined where the process is gone. */
function statOf(pid: number | string): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

export const processesOfSession = (session: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(statOf(name)?.[3]) === session)
    .map(Number)

let ticksPerSecond: number | undefined

/** CPU seconds that these processes have used so far, all their threads together. Robust where wall time isn't: a busy machine makes it hardly larger. */
export function cpuSecondsOf(pids: readonly number[]): number {
  ticksPerSecond ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
  const ticks = pids.map((pid) => {
    const stat = statOf(pid)
    return Number(stat?.[11] ?? 0) + Number(stat?.[12] ?? 0)
  })
  return ticks.reduce((sum, one) => sum + one, 0) / ticksPerSecond
}

/** Seconds that a process's main thread was ready to run and got no processor: on a crowded machine this, not the work, decides. */
export function waitedSecondsOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e9
  } catch {
    return Number.NaN
  }
}

/** Lines by which a program of ours says between which moments its cost counts. */
export const WORK_BEGINS = 'the work begins'
export const WORK_ENDS = 'the work has ended'
