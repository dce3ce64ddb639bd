import { EXIT } from '../exit-codes.ts'
import type { Registration } from '../program.ts'

export function registerTag({ program, run }: Registration): void {
  program
    .command('tag')
    .argument('<run>', 'id, beginning of an id, name, or last')
    .argument('<tags...>')
    .option('--remove', 'take these tags off')
    .description('tag a run')
    .action((idOrName: string, tags: string[], options: { remove?: boolean }) =>
      run('tag', async (context) => {
        const { runs } = (await context.engine()).store
        const found = runs.find(idOrName)
        const next = options.remove ? found.tags.filter((tag) => !tags.includes(tag)) : [...new Set([...found.tags, ...tags])]
        runs.setTags(found.id, next)
        context.output.both(`${found.id}: ${next.join(', ') || 'no tags'}`, { id: found.id, tags: next })
        return EXIT.done
      }),
    )
}
