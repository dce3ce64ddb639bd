import type { SweepEvent, SweepView } from '../../contract/sweeps.ts'
import type { PrefillResult } from '../../model/cell.ts'
import type { RunDocument } from '../../model/run.ts'
import type { SpoolLine } from '../../model/spool.ts'
import { isRunOver } from '../../model/states.ts'
import type { Outcome, Planned } from '../run-parts.ts'
import { applyLine, eventOf } from './apply-line.ts'
import { EVENTS_KEPT, type SweepModel } from './model.ts'

/** Everything that is stored of a run and matters to its screen. */
export interface SweepParts {
  document: RunDocument
  outcomes: Outcome[]
  planned: Planned[]
  prefills: PrefillResult[]
  samples: Extract<SpoolLine, { kind: 'sample' }>[]
  /** Lines that say something to people, the last of them; `event` lines are in the document. */
  log: SpoolLine[]
  /** The last line about what a cell does. */
  lastCell?: SpoolLine
}

/** The run as it stands, before any further line. */
export function seedModel(parts: SweepParts, link: Pick<SweepView, 'link' | 'linkReason' | 'placeNote'>): SweepModel {
  const { document, planned } = parts
  const { plan, engine } = document
  const model = engine?.model ?? engine?.servedModel
  const view: SweepView = {
    runId: document.id,
    name: document.name,
    state: document.state,
    ...defined({ reason: document.reason, error: endError(parts.log) }),
    demo: document.demo || engine?.demo === true,
    ...defined({ host: document.host?.name, model }),
    place: document.path.driver,
    ...link,
    contexts: planned.at(-1)?.contexts ?? [...new Set(document.cells.map((cell) => cell.contextTokens))],
    concurrency: plan.concurrency,
    windowSeconds: plan.seconds,
    cells: document.cells,
    prefill: document.prefill,
    doneCells: document.cells.filter((cell) => cell.status !== 'pending').length * plan.repeats,
    totalCells: planned.at(-1)?.cells.length ?? document.cells.length * plan.repeats,
    ...defined({ startedAt: document.startedAt, finishedAt: document.finishedAt }),
    telemetry: parts.samples.map(({ t, gpus, metrics }) => ({ t, ...defined({ gpus, metrics }) })),
    events: eventsOf(parts),
  }
  const facts = parts.log.findLast((line) => line.kind === 'facts')
  const seeded: SweepModel = {
    view,
    plan,
    planned,
    outcomes: parts.outcomes,
    prefills: parts.prefills,
    speculative: engine?.speculative === true,
    ...defined({ maxModelLen: engine?.maxModelLen }),
    factsSaid: (facts && eventOf(facts)?.text) ?? '',
  }
  const { lastCell } = parts
  return lastCell?.kind === 'cell' && !isRunOver(view.state) ? applyLine(seeded, lastCell).model : seeded
}

/** What drivers said in words, and what the engine itself had to say. */
function eventsOf({ log, document }: SweepParts): SweepEvent[] {
  const said: SweepEvent[] = []
  let factsSaid = ''
  for (const line of log) {
    const event = eventOf(line)
    if (event === undefined) continue
    if (line.kind === 'facts') {
      if (factsSaid.startsWith(event.text)) continue
      factsSaid = event.text
    }
    said.push(event)
  }
  const all = [...said, ...document.events]
  return all.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)).slice(-EVENTS_KEPT)
}

function endError(log: SpoolLine[]): SweepView['error'] {
  const last = log.findLast((line) => line.kind === 'end' || line.kind === 'state' || line.kind === 'hello')
  return last?.kind === 'end' || last?.kind === 'state' ? last.error : undefined
}

function defined<Fields extends object>(fields: Fields): { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } {
  return JSON.parse(JSON.stringify(fields)) as { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> }
}
