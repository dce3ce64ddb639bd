import { EXIT } from '../exit-codes.ts'
import type { Registration } from '../program.ts'

export function registerNote({ program, run }: Registration): void {
  program
    .command('note')
    .argument('<run>', 'id, beginning of an id, name, or last')
    .argument('<text...>', 'the note; "" removes it')
    .description("write a run's note")
    .action((idOrName: string, words: string[]) =>
      run('note', async (context) => {
        const { runs } = (await context.engine()).store
        const { id } = runs.find(idOrName)
        const note = words.join(' ')
        runs.setNote(id, note)
        context.output.both(note === '' ? `${id}: no note` : `${id}: ${note}`, { id, note })
        return EXIT.done
      }),
    )
}
