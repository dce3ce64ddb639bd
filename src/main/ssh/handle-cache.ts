import type { SftpSession } from './sftp-session.ts'

/** A file replaced by another under the same name is noticed after at most this long. */
const MAX_AGE_MS = 5000

/**
 * Keeps a file that is read on from an offset open for a few seconds, so that polling a growing file costs one round trip. A read
 * from the start always opens anew: state files are replaced as a whole.
 */
export interface HandleCache {
  open(sftp: SftpSession, path: string, offset: number): Promise<{ handle: Buffer; keep: boolean }>
  clear(): void
}

export function createHandleCache(): HandleCache {
  const kept = new Map<string, { handle: Promise<Buffer>; timer: NodeJS.Timeout }>()
  return {
    async open(sftp, path, offset) {
      const open = () => sftp.call<Buffer>((s, done) => s.open(path, 'r', done))
      if (offset === 0) return { handle: await open(), keep: false }
      const cached = kept.get(path)
      if (cached) return { handle: await cached.handle, keep: true }
      const handle = open()
      const forget = () => {
        kept.delete(path)
        void closeLater(sftp, handle)
      }
      const timer = setTimeout(forget, MAX_AGE_MS)
      timer.unref()
      kept.set(path, { handle, timer })
      try {
        return { handle: await handle, keep: true }
      } catch (error) {
        clearTimeout(timer)
        kept.delete(path)
        throw error
      }
    },
    clear() {
      for (const { timer } of kept.values()) clearTimeout(timer)
      kept.clear()
    },
  }
}

async function closeLater(sftp: SftpSession, handle: Promise<Buffer>): Promise<void> {
  try {
    const value = await handle
    await sftp.call((s, done) => s.close(value, done))
  } catch {
    // Its session is gone, and the handle with it.
  }
}
