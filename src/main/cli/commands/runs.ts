import type { RunSummary } from '../../store/types.ts'
import { EXIT } from '../exit-codes.ts'
import type { Registration } from '../program.ts'
import { textTable } from '../text-table.ts'

export function registerRuns({ program, run }: Registration): void {
  program
    .command('runs')
    .option('--search <text>', 'only those whose name, host, model, tag or note has it')
    .option('--trashed', 'those in the trash')
    .description('the history')
    .action((options: { search?: string; trashed?: boolean }) =>
      run('runs', async (context) => {
        const { store } = await context.engine()
        const list = store.runs.list({ trashed: options.trashed === true, ...(options.search && { search: options.search }) })
        const text =
          list.length > 0
            ? textTable(['run', 'name', 'state', 'cells', 'host', 'model', 'when (UTC)', 'tags'], list.map(row))
            : 'No runs.'
        context.output.both(text, { runs: list })
        return EXIT.done
      }),
    )
}

function row(run: RunSummary): string[] {
  return [
    run.id,
    run.demo ? `${run.name} (demo)` : run.name,
    run.state,
    `${run.cellsDone}/${run.cellsTotal}`,
    run.host ?? '',
    run.model ?? '',
    (run.startedAt ?? run.createdAt).slice(0, 16).replace('T', ' '),
    run.tags.join(', '),
  ]
}
