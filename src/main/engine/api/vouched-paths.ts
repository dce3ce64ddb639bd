import { resolve } from 'node:path'

const MOST = 20

/** Files of this machine that the person has just chosen in the shell's save dialog. The shell says so on its own way, past the page. */
export interface VouchedPaths {
  vouch: (path: string) => void
  /** True once for each time it was chosen. */
  take: (path: string) => boolean
}

export function createVouchedPaths(): VouchedPaths {
  let paths: string[] = []
  return {
    vouch(path) {
      paths = [...paths, resolve(path)].slice(-MOST)
    },
    take(path) {
      const at = paths.indexOf(resolve(path))
      if (at < 0) return false
      paths = paths.toSpliced(at, 1)
      return true
    },
  }
}
