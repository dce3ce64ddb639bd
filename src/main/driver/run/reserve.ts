import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'

export interface Reserve {
  /** Gives the room back. Safe to call twice. */
  release(): void
}

const BYTES = 64 * 1024

/** Room on the disk for the last lines, so that a run which a full disk ends can still say so. Where there is no room for it, there is none. */
export function keepReserve(path: string): Reserve {
  try {
    // Random: a file system that compresses would keep nothing of zeros.
    writeFileSync(path, randomBytes(BYTES), { mode: 0o600 })
  } catch {
    // The spool's first line will say why.
  }
  return {
    release() {
      try {
        rmSync(path, { force: true })
      } catch {
        // Then the end can't be written either.
      }
    },
  }
}
