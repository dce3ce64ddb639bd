import type { RunRow } from '../../../shared/contract/runs.ts'
import { absoluteTime, durationText, markdownTable, markdownText, NOT_MEASURED } from '../../../shared/format/index.ts'
import type { RunState } from '../../../shared/model/states.ts'
import { tsvText } from '../../ui/tsv.ts'

export const RUN_STATE_TEXTS: Record<RunState, { sign: string; word: string; meaning: string }> = {
  planned: { sign: '○', word: 'Planned', meaning: 'Not begun yet.' },
  preparing: { sign: '◔', word: 'Preparing', meaning: 'Server and plan are being looked at.' },
  running: { sign: '▶', word: 'Running', meaning: 'Being measured now.' },
  paused: { sign: '‖', word: 'Paused', meaning: 'Waits for somebody to go on.' },
  interrupted: { sign: '↯', word: 'Interrupted', meaning: 'It lost its driver; what is missing can be measured.' },
  finished: { sign: '✓', word: 'Finished', meaning: 'Every cell has its status.' },
  stopped: { sign: '■', word: 'Stopped', meaning: 'A person ended it; the finished cells are kept.' },
  failed: { sign: '!', word: 'Failed', meaning: 'It could not go on; the reason is in the run.' },
}

/** What was heard of a run last is not what is. */
export function unwatchedTexts(state: RunState, { lastHeardAt }: NonNullable<RunRow['unwatched']>) {
  const heard = lastHeardAt === undefined ? 'Nothing was heard of it yet' : `Last heard of ${absoluteTime(lastHeardAt)}`
  const meaning = `${heard}, then ${RUN_STATE_TEXTS[state].word.toLowerCase()}; nobody reads its driver. Opening it looks.`
  return { sign: '?', word: 'Not watched', meaning }
}

export const isGoing = (state: RunState): boolean => state === 'preparing' || state === 'running' || state === 'paused'

/** Seconds from start to end; undefined while it is going on. */
export function tookSeconds({ startedAt, finishedAt }: RunRow): number | undefined {
  if (startedAt === undefined || finishedAt === undefined) return undefined
  return Math.max(0, (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000)
}

const HEAD = ['Run', 'State', 'Model', 'Host', 'Cells', 'Tags', 'Started', 'Took', 'Note']

function textsOf(run: RunRow): string[] {
  return [
    run.demo ? `${run.name} (demo)` : run.name,
    RUN_STATE_TEXTS[run.state].word,
    run.model ?? NOT_MEASURED,
    run.host ?? NOT_MEASURED,
    `${String(run.cellsDone)} of ${String(run.cellsTotal)}`,
    run.tags.join(', '),
    absoluteTime(run.startedAt ?? run.createdAt),
    durationText(tookSeconds(run)),
    run.note ?? '',
  ]
}

export const runsAsMarkdown = (runs: readonly RunRow[]): string =>
  markdownTable(
    HEAD,
    runs.map((run) => textsOf(run).map(markdownText)),
  )
export const runsAsTsv = (runs: readonly RunRow[]): string => tsvText([HEAD, ...runs.map(textsOf)])
