import { closeSync, openSync, readSync } from 'node:fs'
import type { Job } from '../../../shared/model/job.ts'
import { type ListeningSocket, reachedBy } from '../../../shared/model/listening-socket.ts'

const CHUNK_BYTES = 64 * 1024
/** Many connections may be opened in one step; nobody takes a port from a server that lives. */
const AGAIN_AFTER_MS = 1000
const LISTENING = '0A'

interface PortOwner {
  /** To be asked before each new connection: why no key may be sent now. A look that is fresh is good enough, unless in doubt. */
  problem(): Error | undefined
  /** A connection has ended: the server may be gone, and the port somebody else's. */
  doubt(): void
}

/**
 * Whether what listens at the server's port is the account's whose server it is (ours, unless it was adopted from another). The engine has
 * looked at the very process before the driver started; any account of the host can take the port when that ends. Undefined where
 * the server isn't on this machine, or there is no /proc.
 */
export function watchPortOwner(job: Pick<Job, 'place' | 'target' | 'serverProcess'>): PortOwner | undefined {
  const me = process.getuid?.()
  if (job.place !== 'host' || me === undefined || process.platform !== 'linux') return undefined
  const url = new URL(job.target.baseUrl)
  const port = Number(url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : url.port)
  const owner = job.serverProcess?.listenerUid ?? me
  let lookedAt = Number.NEGATIVE_INFINITY
  let found: Error | undefined
  return {
    problem() {
      if (performance.now() - lookedAt < AGAIN_AFTER_MS) return found
      const reached = reachedBy(listeningSockets(port), url.hostname)
      // Root may read the key anyway: a container's port is often root's.
      const stranger = reached.find(({ uid }) => uid !== owner && uid !== 0)
      found =
        stranger === undefined
          ? undefined
          : new Error(`port ${String(port)} is listened on by uid ${String(stranger.uid)}, not by the server; nothing was sent`)
      // Where nothing listens the connection is refused, but a moment later somebody else may.
      lookedAt = reached.length === 0 ? Number.NEGATIVE_INFINITY : performance.now()
      return found
    },
    doubt() {
      lookedAt = Number.NEGATIVE_INFINITY
    },
  }
}

function listeningSockets(port: number): ListeningSocket[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0')
  return ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(readListening).flatMap((fields) => {
    const [address = '', local] = (fields[1] ?? '').split(':')
    return local === wanted ? [{ address, uid: Number(fields[7]), inode: fields[9] ?? '' }] : []
  })
}

/** The kernel lists listening sockets before all others: of the thousands of a sweep nothing is read. */
function readListening(path: string): string[][] {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return []
  }
  try {
    let text = ''
    for (;;) {
      const buffer = Buffer.alloc(CHUNK_BYTES)
      const count = readSync(file, buffer)
      text += buffer.toString('latin1', 0, count)
      const rows = text
        .slice(0, text.lastIndexOf('\n') + 1)
        .split('\n')
        .slice(1)
        .map((line) => line.trim().split(/\s+/))
        .filter((fields) => fields.length > 9)
      const end = rows.findIndex((fields) => fields[3] !== LISTENING)
      if (count === 0 || end >= 0) return rows.slice(0, end < 0 ? rows.length : end)
    }
  } finally {
    closeSync(file)
  }
}
