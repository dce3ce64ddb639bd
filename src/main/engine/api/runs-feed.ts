import type { FeedOf } from '../../../shared/contract/changes.ts'
import type { RunRow } from '../../../shared/contract/runs.ts'
import type { Store } from '../../store/index.ts'
import { createEmitter } from './feed/emitter.ts'
import { createFeed, type RESET } from './feed/feed.ts'

export type RunsChange = { upsert: RunRow[] } | { remove: string[] }

/** Rows that change while a sweep runs are read together. */
const GATHER_MS = 250
/** Between two looks at what other engines have written. */
const LOOK_MS = 2000
/** More rows than this are a new list. */
const LIMIT = 200

export interface RunsFeed {
  watch: (signal: AbortSignal) => FeedOf<RunRow[], RunsChange>
  /** These runs may have other rows now; said at once. */
  touch: (runIds: readonly string[]) => void
  /** The same, for what happens many times a second. */
  touchLater: (runId: string) => void
  dispose: () => void
}

/** The list of runs that are not in the trash, newest first. What it knows it keeps only while somebody watches. */
export function createRunsFeed({ store, lookMs = LOOK_MS }: { store: Store; lookMs?: number }): RunsFeed {
  const changes = createEmitter<RunsChange | typeof RESET>()
  let known: Map<string, RunRow> | undefined
  let version = 0
  let looking: NodeJS.Timeout | undefined
  let gathering: NodeJS.Timeout | undefined
  const gathered = new Set<string>()

  const read = () => new Map(store.runs.list().map((row) => [row.id, row]))

  function start(): Map<string, RunRow> {
    if (known === undefined) {
      version = store.foreignChanges()
      known = read()
      looking = setInterval(look, lookMs)
    }
    return known
  }
  function stopUnlessWatched(): void {
    if (changes.size > 0) return
    clearInterval(looking)
    known = undefined
  }
  /** Another engine, or a command, may share the data folder. */
  function look(): void {
    try {
      const now = store.foreignChanges()
      if (now === version || known === undefined) return
      version = now
      compare(known, read())
    } catch {
      // A store that can't be read now: the next look tries again.
    }
  }
  function compare(before: Map<string, RunRow>, after: Map<string, RunRow>): void {
    known = after
    const upsert = [...after.values()].filter((row) => JSON.stringify(before.get(row.id)) !== JSON.stringify(row))
    const remove = [...before.keys()].filter((id) => !after.has(id))
    if (upsert.length > 0) changes.emit({ upsert })
    if (remove.length > 0) changes.emit({ remove })
  }
  function touch(runIds: readonly string[]): void {
    if (known === undefined) return
    const after = new Map(known)
    for (const id of runIds) {
      const row = store.runs.find(id)
      if (row.trashed) after.delete(id)
      else after.set(id, row)
    }
    compare(known, after)
  }

  return {
    async *watch(signal) {
      const left = () => setImmediate(stopUnlessWatched)
      signal.addEventListener('abort', left, { once: true })
      try {
        start()
        yield* createFeed(
          { snapshot: () => newestFirst([...start().values()]), onChange: (listener) => changes.on(listener) },
          { fold: foldRuns, weigh: weighRuns, limit: LIMIT },
          signal,
        )
      } finally {
        signal.removeEventListener('abort', left)
        stopUnlessWatched()
      }
    },
    touch,
    touchLater(runId) {
      gathered.add(runId)
      gathering ??= setTimeout(() => {
        gathering = undefined
        const ids = [...gathered]
        gathered.clear()
        try {
          touch(ids)
        } catch {
          // A run that was taken back, or a store that can't be read now: the next change says it.
        }
      }, GATHER_MS)
    },
    dispose() {
      clearInterval(looking)
      clearTimeout(gathering)
      known = undefined
    },
  }
}

function newestFirst(rows: RunRow[]): RunRow[] {
  return rows.sort((a, b) => (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0))
}

/** At most one upsert and one removal wait; of what happened to a run only the last counts. */
function foldRuns(waiting: RunsChange[], change: RunsChange): RunsChange[] {
  const upsert = new Map<string, RunRow>()
  const remove = new Set<string>()
  for (const one of [...waiting, change]) {
    if ('upsert' in one) {
      for (const row of one.upsert) {
        upsert.set(row.id, row)
        remove.delete(row.id)
      }
    } else {
      for (const id of one.remove) {
        upsert.delete(id)
        remove.add(id)
      }
    }
  }
  return [...(upsert.size > 0 ? [{ upsert: [...upsert.values()] }] : []), ...(remove.size > 0 ? [{ remove: [...remove] }] : [])]
}

function weighRuns(waiting: RunsChange[]): number {
  return waiting.reduce((sum, change) => sum + ('upsert' in change ? change.upsert.length : change.remove.length), 0)
}
