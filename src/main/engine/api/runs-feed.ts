import type { FeedOf } from '../../../shared/contract/changes.ts'
import type { RunsNow } from '../../../shared/contract/runs.ts'
import type { RunState } from '../../../shared/model/states.ts'
import type { Store } from '../../store/index.ts'
import { createEmitter } from './feed/emitter.ts'
import { latest, type RESET } from './feed/feed.ts'

/** Rows that change while a sweep runs are read together. */
const GATHER_MS = 250
/** Between two looks at what other engines have written. */
const LOOK_MS = 2000
/** What a screen shows without asking for more; a message stays small whatever the history has. */
const RECENT = 50
const GOING: RunState[] = ['preparing', 'running', 'paused']

export interface RunsFeed {
  watch: (signal: AbortSignal) => FeedOf<RunsNow, RunsNow>
  /** These runs may have other rows now; said at once. */
  touch: (runIds: readonly string[]) => void
  /** The same, for what happens many times a second. */
  touchLater: (runId: string) => void
  dispose: () => void
}

/** What is new in the history. What it knows it keeps only while somebody watches. */
export function createRunsFeed({ store, lookMs = LOOK_MS }: { store: Store; lookMs?: number }): RunsFeed {
  const changes = createEmitter<RunsNow | typeof RESET>()
  let known: RunsNow | undefined
  let seen = 0
  let looking: NodeJS.Timeout | undefined
  let gathering: NodeJS.Timeout | undefined
  const gathered = new Set<string>()

  const read = (version: number): RunsNow => ({
    version,
    count: store.runs.count({}),
    trashed: store.runs.count({ trashed: true }),
    recent: store.runs.list({ limit: RECENT }),
    going: store.runs.list({ states: GOING }),
  })

  function start(): RunsNow {
    if (known === undefined) {
      seen = store.foreignChanges()
      known = read(1)
      looking = setInterval(look, lookMs)
    }
    return known
  }
  function stopUnlessWatched(): void {
    if (changes.size > 0) return
    clearInterval(looking)
    known = undefined
  }
  /** Another engine, or a command, may share the data folder. What it has changed may be any row. */
  function look(): void {
    try {
      const now = store.foreignChanges()
      if (now === seen || known === undefined) return
      seen = now
      say(read(known.version + 1))
    } catch {
      // A store that can't be read now: the next look tries again.
    }
  }
  function say(next: RunsNow): void {
    known = next
    changes.emit(next)
  }
  function touch(runIds: readonly string[]): void {
    if (known === undefined) return
    const shown = new Set([...known.recent, ...known.going].map(({ id }) => id))
    const next = read(known.version)
    // A run that is in the message and looks as before has changed in nothing that a list shows.
    if (runIds.every((id) => shown.has(id)) && JSON.stringify(next) === JSON.stringify(known)) return
    say({ ...next, version: known.version + 1 })
  }

  return {
    async *watch(signal) {
      const left = () => setImmediate(stopUnlessWatched)
      signal.addEventListener('abort', left, { once: true })
      try {
        start()
        yield* latest({ snapshot: start, onChange: (listener) => changes.on(listener) }, signal)
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
          // A store that can't be read now: the next change says it.
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
