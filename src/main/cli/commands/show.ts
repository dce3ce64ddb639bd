import { publicRun } from '../../../shared/report/index.ts'
import { EXIT } from '../exit-codes.ts'
import type { Registration } from '../program.ts'
import { summaryText } from '../sweep/summary.ts'

export function registerShow({ program, run }: Registration): void {
  program
    .command('show')
    .argument('<run>', 'id, beginning of an id, name, or last')
    .description('a run: its grid, doubts and state')
    .action((idOrName: string) =>
      run('show', async (context) => {
        const { store } = await context.engine()
        const document = store.runs.document(store.runs.find(idOrName).id)
        const { output, deps } = context
        const lines = [
          summaryText(document, { columns: deps.stdout.columns ?? 120, style: output.resultStyle }),
          `run ${document.id}${document.tags.length > 0 ? `  tags: ${document.tags.join(', ')}` : ''}`,
          ...(document.note ? [`note: ${document.note}`] : []),
        ]
        output.both(lines.join('\n'), publicRun(document))
        return EXIT.done
      }),
    )
}
