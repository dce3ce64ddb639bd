import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Clock } from './clock.ts'
import type { Database } from './database.ts'
import { isProcessAlive, readStartTicks } from './own-process.ts'
import type { Lease } from './types.ts'

/** A lease that was not renewed for this long is free, whatever became of its engine. */
const LEASE_LIMIT_MS = 30_000

interface LeaseRow {
  lease_host: string | null
  lease_pid: number
  lease_ticks: string
  lease_token: string
  lease_heartbeat_ms: number
}

interface Leases {
  take: (id: string) => boolean
  release: (id: string) => void
  holder: (id: string) => Lease | undefined
  /** Nobody reads this run: it has no lease, or one whose process is known to be gone (on another machine: not heard of for a while). */
  isOrphan: (id: string) => boolean
}

/** Leases of one store: two stores in one process are two holders. */
export function createLeases({ database, clock }: { database: Database; clock: Clock }): Leases {
  const own = { host: hostname(), pid: process.pid, ticks: readStartTicks(process.pid), token: randomUUID() }

  function read(id: string): LeaseRow | undefined {
    const row = database.get<LeaseRow>(
      'SELECT lease_host, lease_pid, lease_ticks, lease_token, lease_heartbeat_ms FROM runs WHERE id = ?',
      id,
    )
    return row?.lease_host == null ? undefined : row
  }
  function isFree(row: LeaseRow): boolean {
    if (clock.now() - row.lease_heartbeat_ms > LEASE_LIMIT_MS) return true
    return row.lease_host === own.host && !isProcessAlive(row.lease_pid, row.lease_ticks)
  }

  return {
    take: (id) =>
      database.brief(() => {
        const row = read(id)
        if (row !== undefined && row.lease_token !== own.token && !isFree(row)) return false
        const changed = database.run(
          'UPDATE runs SET lease_host = ?, lease_pid = ?, lease_ticks = ?, lease_token = ?, lease_heartbeat_ms = ? WHERE id = ?',
          own.host,
          own.pid,
          own.ticks,
          own.token,
          Math.round(clock.now()),
          id,
        )
        return changed === 1
      }),
    release: (id) => {
      database.brief(() =>
        database.run(
          `UPDATE runs SET lease_host = NULL, lease_pid = NULL, lease_ticks = NULL, lease_token = NULL, lease_heartbeat_ms = NULL
           WHERE id = ? AND lease_token = ?`,
          id,
          own.token,
        ),
      )
    },
    isOrphan: (id) => {
      const row = read(id)
      if (row === undefined) return true
      return row.lease_host === own.host ? !isProcessAlive(row.lease_pid, row.lease_ticks) : isFree(row)
    },
    holder: (id) => {
      const row = read(id)
      if (row === undefined || isFree(row)) return undefined
      return {
        hostName: row.lease_host ?? '',
        pid: row.lease_pid,
        startTicks: row.lease_ticks,
        heartbeatAt: new Date(row.lease_heartbeat_ms).toISOString(),
      }
    },
  }
}
