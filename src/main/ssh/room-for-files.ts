import { readdirSync, readFileSync } from 'node:fs'

/** For everything else that this process opens: files, databases, connections. */
const RESERVE = 64

/** How many files this process may still open, less a reserve; undefined where that can't be seen. */
export function roomForFiles(): number | undefined {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    if (limit === undefined) return undefined
    return Math.max(1, Number(limit) - readdirSync('/proc/self/fd').length - RESERVE)
  } catch {
    return undefined
  }
}
