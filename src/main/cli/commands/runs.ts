import type { RunFilter } from '../../../shared/contract/runs.ts'
import type { RunsStore, RunSummary } from '../../store/types.ts'
import type { CommandContext } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { badValue } from '../plan/lists.ts'
import type { Registration } from '../program.ts'
import { columnWidths, tableLines, textTable } from '../text-table.ts'

const PAGE = 50
/** Rows that are held at once where all are asked for. */
const PIECE = 1000

interface RunsOptions {
  search?: string
  trashed?: boolean
  limit: number
  all?: boolean
  before?: string
}

export function registerRuns({ program, run }: Registration): void {
  program
    .command('runs')
    .option('--search <text>', 'only those whose name, host, model, state, id, tag or note has every word of it')
    .option('--trashed', 'those in the trash')
    .option('--limit <n>', 'how many, the newest first', countOf, PAGE)
    .option('--before <run>', 'go on after this run: only older ones')
    .option('--all', 'every one')
    .description('the history, newest first')
    .action((options: RunsOptions) =>
      run('runs', async (context) => {
        const { runs } = (await context.engine()).store
        const filter = { trashed: options.trashed === true, ...(options.search && { search: options.search }) }
        const before = options.before === undefined ? undefined : runs.find(options.before).id
        if (options.all === true) printAll(context, runs, filter, before)
        else printPage(context, runs, filter, before, options.limit)
        return EXIT.done
      }),
    )
}

function printPage(
  context: CommandContext,
  runs: RunsStore,
  filter: Partial<RunFilter>,
  before: string | undefined,
  limit: number,
): void {
  // One more than is shown says whether there is more.
  const found = runs.list({ ...filter, limit: limit + 1, ...(before === undefined ? {} : { before }) })
  const list = found.slice(0, limit)
  const last = list.at(-1)
  const next = found.length > limit ? last?.id : undefined
  if (list.length === 0) context.output.both('No runs.', { runs: [], count: 0 })
  else {
    const count = runs.count(filter)
    const more =
      next === undefined ? '' : `\n${countNote(list.length, count, before)}. Older ones: --before ${next}; every one: --all`
    context.output.both(`${textTable(HEADS, list.map(row))}${more}`, {
      runs: list,
      count,
      ...(next === undefined ? {} : { before: next }),
    })
  }
}

const countNote = (shown: number, count: number, before: string | undefined) =>
  `${String(shown)} ${before === undefined ? 'newest ' : ''}of ${String(count)} runs`

/** In pieces, so that a history of any length costs no memory; the first pass is for the widths of the columns. */
function printAll(context: CommandContext, runs: RunsStore, filter: Partial<RunFilter>, before: string | undefined): void {
  const { output, deps } = context
  if (output.json) {
    let count = 0
    deps.stdout.write('{\n  "runs": [')
    for (const piece of pieces(runs, filter, before)) {
      deps.stdout.write(piece.map((run, at) => `${count + at === 0 ? '' : ','}\n    ${JSON.stringify(run)}`).join(''))
      count += piece.length
    }
    deps.stdout.write(`\n  ],\n  "count": ${String(count)}\n}\n`)
    return
  }
  let widths = columnWidths([HEADS])
  for (const piece of pieces(runs, filter, before)) widths = columnWidths(piece.map(row), widths)
  let isFirst = true
  for (const piece of pieces(runs, filter, before)) {
    const rows = piece.map(row)
    output.result(tableLines(isFirst ? [HEADS, ...rows] : rows, widths))
    isFirst = false
  }
  if (isFirst) output.result('No runs.')
}

function countOf(text: string): number {
  const count = Number(text)
  if (!/^\d+$/.test(text) || count < 1) throw badValue('--limit', text, 'a whole number from 1 on')
  return count
}

function* pieces(runs: RunsStore, filter: Partial<RunFilter>, before: string | undefined): Generator<RunSummary[]> {
  let last = before
  for (;;) {
    const piece = runs.list({ ...filter, limit: PIECE, ...(last === undefined ? {} : { before: last }) })
    if (piece.length === 0) return
    yield piece
    last = piece.at(-1)?.id
  }
}

const HEADS = ['run', 'name', 'state', 'cells', 'host', 'model', 'when (UTC)', 'tags']

/** What was heard last is not what is. */
function stateOf({ state, unwatched }: RunSummary): string {
  if (unwatched === undefined) return state
  const { lastHeardAt } = unwatched
  return lastHeardAt === undefined ? 'not watched' : `not watched (${state} ${lastHeardAt.slice(0, 16).replace('T', ' ')})`
}

function row(run: RunSummary): string[] {
  return [
    run.id,
    run.demo ? `${run.name} (demo)` : run.name,
    stateOf(run),
    `${run.cellsDone}/${run.cellsTotal}`,
    run.host ?? '',
    run.model ?? '',
    (run.startedAt ?? run.createdAt).slice(0, 16).replace('T', ' '),
    run.tags.join(', '),
  ]
}
