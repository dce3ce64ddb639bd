import { useCallback, useEffect, useState } from 'react'
import { MOST_ROWS, type RunPage, type RunQuery, type RunRow } from '../../../shared/contract/runs.ts'
import type { ErrorInfo } from '../../../shared/model/error.ts'
import { useClient } from '../../state/context.ts'
import { toErrorInfo } from '../../state/errors.ts'

export type ListQuery = Omit<RunQuery, 'offset' | 'limit'>

/** Rows that are asked for together: some screens full, a message of some tens of kilobytes. */
const BLOCK = 100

interface Held {
  key: string
  blocks: ReadonlyMap<number, RunRow[]>
  matching: number
  all: number
}

/**
 * A list of any length of which only what is looked at is here: `want` says which rows are in sight, `rowAt` has them once they have
 * come. Asked again when the query changes (the old rows stay until then) and when `version` does.
 */
export function useRunPages(query: ListQuery, version: number | undefined) {
  const client = useClient()
  const [sight, setSight] = useState({ first: 0, last: 0 })
  const [held, setHeld] = useState<Held>()
  const [error, setError] = useState<ErrorInfo>()
  const [round, setRound] = useState(0)
  const key = JSON.stringify(query)
  const { first, last } = sight
  useEffect(() => {
    if (version === undefined) return
    const leaving = new AbortController()
    const { signal } = leaving
    const asked = JSON.parse(key) as ListQuery
    const take = (block: number, page: RunPage) => {
      setError(undefined)
      setHeld((before) => {
        // What is out of sight may be old by now; it is asked for again when it comes into sight.
        const kept = before?.key === key ? [...before.blocks].filter(([at]) => at >= first && at <= last) : []
        return { key, blocks: new Map([...kept, [block, page.rows]]), matching: page.matching, all: page.all }
      })
    }
    for (let block = first; block <= last; block += 1) {
      client.runs.list.query({ ...asked, offset: block * BLOCK, limit: BLOCK }, { signal }).then(
        (page) => {
          if (!signal.aborted) take(block, page)
        },
        (reason: unknown) => {
          if (!signal.aborted) setError(toErrorInfo(reason))
        },
      )
    }
    return () => {
      leaving.abort()
    }
  }, [client, key, version, round, first, last])

  const want = useCallback((firstRow: number, lastRow: number) => {
    const next = { first: Math.floor(Math.max(0, firstRow) / BLOCK), last: Math.floor(Math.max(0, lastRow) / BLOCK) }
    setSight((before) => (before.first === next.first && before.last === next.last ? before : next))
  }, [])
  const reload = useCallback(() => {
    setRound((before) => before + 1)
  }, [])
  return {
    key,
    /** Undefined until the first answer. */
    counts: held === undefined ? undefined : { matching: held.matching, all: held.all },
    rowAt: (index: number): RunRow | undefined => held?.blocks.get(Math.floor(index / BLOCK))?.[index % BLOCK],
    /** The rows that are here now. */
    rows: () => [...(held?.blocks ?? [])].sort(([a], [b]) => a - b).flatMap(([, rows]) => rows),
    /** Every row of the list, for what acts on all of them. */
    readAll: async (): Promise<RunRow[]> => {
      const byId = new Map<string, RunRow>()
      for (let offset = 0; ; offset += MOST_ROWS) {
        const { rows } = await client.runs.list.query({ ...query, offset, limit: MOST_ROWS })
        for (const row of rows) byId.set(row.id, row)
        if (rows.length < MOST_ROWS) return [...byId.values()]
      }
    },
    error,
    want,
    reload,
  }
}
