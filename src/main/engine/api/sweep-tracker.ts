import type { SweepChange, SweepView } from '../../../shared/contract/sweeps.ts'
import type { SpoolLine } from '../../../shared/model/spool.ts'
import { applyLine, isEmpty, mergeChanges, type SweepModel, weighChange } from '../../../shared/run/index.ts'
import type { SweepHandle } from '../../sweep/types.ts'
import type { Store } from '../../store/index.ts'
import { createEmitter } from './feed/emitter.ts'
import { createFeed, RESET, type Source } from './feed/feed.ts'

type Link = Pick<SweepView, 'link' | 'linkReason' | 'placeNote'>

/** So many events and samples make a reader slow: it gets the view instead. */
const BEHIND_LIMIT = 600

/** One run as its screens see it: from a driver this engine reads, else from what the store has. */
export interface SweepTracker extends Source<SweepView, SweepChange> {
  /** Follows the handle from what is stored. */
  attach: (handle: SweepHandle) => void
  /** Reads anew; `fields` are what the store doesn't know. */
  reseed: (link: Link, fields?: Partial<SweepView>) => void
  /** Takes in what is stored meanwhile. */
  poll: () => void
  setLink: (link: Link) => void
  readonly watchers: number
  feed: (signal: AbortSignal) => ReturnType<typeof createFeed<SweepView, SweepChange>>
  dispose: () => void
}

/** Throws not_found. `onChange` hears that the run's row in a list may be another one now. */
export function createSweepTracker(deps: { store: Store; runId: string; link: Link; onRowChange: () => void }): SweepTracker {
  const { store, runId } = deps
  const changes = createEmitter<SweepChange | typeof RESET>()
  let seen = store.runs.lastLine(runId)
  let model: SweepModel = store.runs.sweep(runId, deps.link)
  let stopReading = () => {}

  function take(line: SpoolLine): void {
    seen = Math.max(seen, line.n)
    const step = applyLine(model, line)
    model = step.model
    if (step.reset) changes.emit(RESET)
    else if (!isEmpty(step.change)) changes.emit(step.change)
    const { head, cells } = step.change
    if (step.reset || head?.state !== undefined || head?.model !== undefined || cells !== undefined) deps.onRowChange()
  }
  function setLink(link: Link): void {
    const { link: state, linkReason, placeNote = model.view.placeNote } = { ...link }
    const before = model.view
    if (before.link === state && before.linkReason === linkReason && before.placeNote === placeNote) return
    const { linkReason: _reason, placeNote: _note, ...view } = before
    const reason = linkReason === undefined ? {} : { linkReason }
    const note = placeNote === undefined ? {} : { placeNote }
    model = { ...model, view: { ...view, link: state, ...reason, ...note } }
    const clears = before.linkReason !== undefined && linkReason === undefined
    changes.emit(clears ? RESET : { head: { link: state, ...reason, ...note } })
  }
  function reseed(link: Link, fields: Partial<SweepView> = {}): void {
    seen = store.runs.lastLine(runId)
    const fresh = store.runs.sweep(runId, { ...defaultNote(model.view), ...link })
    model = { ...fresh, view: { ...fresh.view, ...fields } }
    changes.emit(RESET)
    deps.onRowChange()
  }

  const tracker: SweepTracker = {
    snapshot: () => model.view,
    onChange: (listener) => changes.on(listener),
    reseed,
    setLink,
    attach(handle) {
      stopReading()
      reseed(
        { link: 'reading', ...(handle.placeNote === undefined ? {} : { placeNote: handle.placeNote }) },
        { place: handle.place },
      )
      const stops = [
        handle.onLine(
          (line) => {
            if (line.n > seen) take(line)
          },
          { afterLine: seen },
        ),
        handle.onLink(({ state, reason }) => setLink({ link: state, ...(reason === undefined ? {} : { linkReason: reason }) })),
      ]
      stopReading = () => {
        for (const stop of stops.splice(0)) stop()
      }
      void handle.finished.then(stopReading, stopReading)
    },
    poll() {
      const summary = store.runs.find(runId)
      if (store.runs.lastLine(runId) > seen) for (const line of store.runs.lines(runId, seen)) take(line)
      // Lines that are counted and not kept move the number on as well.
      seen = Math.max(seen, store.runs.lastLine(runId))
      if (summary.state !== model.view.state || summary.name !== model.view.name) reseed(linkOf(model.view))
    },
    get watchers() {
      return changes.size
    },
    feed: (signal) =>
      createFeed(
        tracker,
        {
          fold: ([waiting], change) => [waiting === undefined ? change : mergeChanges(waiting, change)],
          weigh: ([waiting]) => (waiting === undefined ? 0 : weighChange(waiting)),
          limit: BEHIND_LIMIT,
        },
        signal,
      ),
    dispose: () => stopReading(),
  }
  return tracker
}

function linkOf({ link, linkReason, placeNote }: SweepView): Link {
  return { link, ...(linkReason === undefined ? {} : { linkReason }), ...(placeNote === undefined ? {} : { placeNote }) }
}
const defaultNote = ({ placeNote }: SweepView) => (placeNote === undefined ? {} : { placeNote })
