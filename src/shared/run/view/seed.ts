import type { SweepEvent, SweepView } from '../../contract/sweeps.ts'
import type { RunDocument } from '../../model/run.ts'
import type { SpoolLine } from '../../model/spool.ts'
import { isRunOver } from '../../model/states.ts'
import { lean } from '../grid.ts'
import { modelOf } from '../run-head.ts'
import { projectRun } from '../run-document.ts'
import type { RunParts } from '../run-parts.ts'
import { applyLine, headOf, newsOf } from './apply-line.ts'
import { EVENTS_KEPT, type SweepModel } from './model.ts'

/** What of a run its screen shows besides the parts of its document. */
export interface SweepLog {
  samples: Extract<SpoolLine, { kind: 'sample' }>[]
  /** Lines that say something to people, the last of them; `event` lines are in the parts. */
  lines: SpoolLine[]
  /** The last line about what a cell does. */
  lastCell?: SpoolLine
}

/** A run that is over, or as it stands before any further line. */
export function viewOfDocument(run: RunDocument, counts: Pick<SweepView, 'doneCells' | 'totalCells'>): SweepView {
  return lean({
    runId: run.id,
    name: run.name,
    state: run.state,
    reason: run.reason,
    demo: run.demo || run.engine?.demo === true,
    host: run.host?.name,
    model: modelOf(run.engine),
    place: run.path.driver,
    link: 'not_attached',
    contexts: [...new Set(run.cells.map((cell) => cell.contextTokens))],
    concurrency: run.plan.concurrency,
    windowSeconds: run.plan.seconds,
    cells: run.cells,
    prefill: run.prefill,
    doneCells: counts.doneCells,
    totalCells: counts.totalCells,
    startedAt: run.startedAt,
    finishedAt: run.finishedAt,
    telemetry: [],
    events: run.events,
  })
}

/** The run as it stands, before any further line. */
export function seedModel(said: RunParts, log: SweepLog, link: Pick<SweepView, 'link' | 'linkReason' | 'placeNote'>): SweepModel {
  const document = projectRun(said)
  const head = headOf(said)
  const { events, factsSaid } = eventsOf(log, document)
  const view: SweepView = lean({
    ...viewOfDocument(document, head),
    ...head,
    ...link,
    error: endError(log.lines),
    telemetry: log.samples.map(({ t, gpus, metrics }) => ({ t, gpus, metrics })),
    events,
  })
  const seeded: SweepModel = { view, said, factsSaid }
  const { lastCell } = log
  return lastCell?.kind === 'cell' && !isRunOver(view.state) ? applyLine(seeded, lastCell).model : seeded
}

/** What drivers said in words, and what the engine itself had to say. */
function eventsOf({ lines }: SweepLog, document: RunDocument): { events: SweepEvent[]; factsSaid: string } {
  const said: SweepEvent[] = []
  let factsSaid = ''
  for (const line of lines) {
    const news = newsOf(line, factsSaid)
    factsSaid = news.factsSaid
    if (news.event !== undefined) said.push(news.event)
  }
  const all = [...said, ...document.events].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
  return { events: all.slice(-EVENTS_KEPT), factsSaid }
}

function endError(lines: SpoolLine[]): SweepView['error'] {
  const last = lines.findLast((line) => line.kind === 'end' || line.kind === 'state' || line.kind === 'hello')
  return last?.kind === 'end' || last?.kind === 'state' ? last.error : undefined
}
