import { EXIT } from '../exit-codes.ts'
import type { Registration } from '../program.ts'

export function registerTrash({ program, run }: Registration): void {
  const move = (command: string, trashed: boolean, description: string) =>
    program
      .command(command)
      .argument('<runs...>', 'ids, beginnings of ids, or names')
      .description(description)
      .action((names: string[]) =>
        run(command, async (context) => {
          const { runs } = (await context.engine()).store
          // All are looked up first, so that a typo in the last moves none.
          const ids = names.map((name) => runs.find(name).id)
          for (const id of ids) runs.setTrashed(id, trashed)
          const text = ids
            .map((id) => (trashed ? `${id} is in the trash; undo with: speedgrid restore ${id}` : `${id} is back.`))
            .join('\n')
          context.output.both(text, { [trashed ? 'trashed' : 'restored']: ids })
          return EXIT.done
        }),
      )
  move('trash', true, 'put runs into the trash')
  move('restore', false, 'take runs out of the trash')
}
