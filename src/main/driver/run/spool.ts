import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { SpeedgridError } from '../../../shared/model/error.ts'
import type { SpoolEntry } from '../../../shared/model/spool.ts'
import type { Clock } from './clock.ts'

export interface Spool {
  /** Appends one numbered line. Throws SpeedgridError `disk_full` or `read_only`; then nothing of the line is in the file. */
  write(entry: SpoolEntry): void
  readonly nextLine: number
  close(): void
}

/** Lines that must survive a power cut as soon as they are written. */
const SYNCED = new Set(['attempt', 'prefill', 'end'])

function spoolError(error: unknown, path: string): SpeedgridError {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  const evidence = [`${path}: ${code || String(error)}`]
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new SpeedgridError('disk_full', "The disk of the driver's run folder is full.", {
      evidence,
      nextStep: 'Free space there and resume the run.',
      from: error,
    })
  }
  return new SpeedgridError('read_only', "The driver can't write into its run folder.", { evidence, from: error })
}

/** Opens (or goes on with) the spool file, mode 0600. A torn last line of a killed driver is cut off by a line break, readers skip it. */
export function createSpool(options: { path: string; firstLine: number; clock: Clock; startMs: number }): Spool {
  const { path, clock, startMs } = options
  let next = options.firstLine
  let descriptor: number
  try {
    descriptor = openSync(path, 'a+', 0o600)
  } catch (error) {
    throw spoolError(error, path)
  }
  let length = fstatSync(descriptor).size

  function append(data: Buffer): void {
    let written = 0
    try {
      while (written < data.length) written += writeSync(descriptor, data, written, data.length - written)
      length += data.length
    } catch (error) {
      // Never half a line: what did fit is taken back. A device or pipe can't be cut, and doesn't need it.
      if (written > 0) ftruncateSync(descriptor, length)
      throw spoolError(error, path)
    }
  }

  if (length > 0) append(Buffer.from('\n'))

  return {
    write(entry) {
      const line = { n: next, t: clock.wallMs(), m: Math.round((clock.now() - startMs) * 1000) / 1000, ...entry }
      append(Buffer.from(`${JSON.stringify(line)}\n`))
      next += 1
      if (!SYNCED.has(entry.kind)) return
      try {
        fsyncSync(descriptor)
      } catch (error) {
        // EINVAL: not a regular file; there is nothing to sync.
        if ((error as NodeJS.ErrnoException).code !== 'EINVAL') throw spoolError(error, path)
      }
    },
    get nextLine() {
      return next
    },
    close: () => closeSync(descriptor),
  }
}
