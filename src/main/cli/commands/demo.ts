import { dirname } from 'node:path'
import { durationText } from '../../../shared/format/index.ts'
import { SpeedgridError } from '../../../shared/model/error.ts'
import { addDemoHost, removeDemoHost } from '../../engine/demo/index.ts'
import type { CommandContext } from '../context.ts'
import { type DemoSteps, runDemo } from '../demo/demo-steps.ts'
import type { Registration } from '../program.ts'

export interface DemoOptions {
  machine: string
  full?: boolean
  output?: string
}

export function registerDemo({ program, run }: Registration): void {
  program
    .command('demo')
    .option('--machine <name>', 'h200, rtx-pro-6000 or 4x-rtx-pro-6000', 'h200')
    .option('--full', 'the published plan: 48 cells of 30 s')
    .option('-o, --output <file>', "where the report goes (the data folder's reports)")
    .description('the whole job on the built-in demo lab machine: connect, launch, sweep with a live grid, history, report')
    .action((options: DemoOptions) => run('demo', (context) => demo(context, options)))
}

/** Starts the machine, does the job on it, and takes everything away again, whatever happens in between. */
async function demo(context: CommandContext, options: DemoOptions): Promise<number> {
  const { output, interrupts, deps } = context
  const startedMs = deps.now()
  const undo: (() => void | Promise<void>)[] = []
  let aborted: (error: Error) => void = () => {}
  const interrupted = new Promise<never>((_, reject) => {
    aborted = reject
  })
  interrupted.catch(() => {})
  const release = interrupts.takeOver(() =>
    aborted(new SpeedgridError('interrupted', 'Interrupted; everything of the demo is taken away.')),
  )
  const cleanUp = async () => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  const steps: DemoSteps = {
    later: (step) => void undo.push(step),
    unlessInterrupted: (work) => Promise.race([work, interrupted]),
  }
  try {
    output.progress(`Starting the demo lab machine "${options.machine}" (simulated figures, no GPU needed)…`)
    const starting = deps.startDemoHost({ machine: options.machine })
    undo.push(async () => {
      const machine = await starting.catch(() => undefined)
      await machine?.dispose()
    })
    const machine = await steps.unlessInterrupted(starting)
    // Another home than the person's: their ~/.ssh/config may say things about every host. This one goes with the machine.
    const engine = await context.engine({ homeDir: dirname(machine.ready.clientKeyPath) })
    const host = await steps.unlessInterrupted(addDemoHost(engine, machine.ready))
    undo.push(() => removeDemoHost(engine, host))
    interrupts.onLeave(() => removeDemoHost(engine, host))
    const code = await runDemo(context, engine, { host, words: machine.ready.launchWords, options }, steps)
    await cleanUp()
    output.progress(
      `Done in ${durationText((deps.now() - startedMs) / 1000)}. The demo machine and its host entry are gone; the run stays in the history.`,
    )
    return code
  } finally {
    await cleanUp()
    release()
  }
}
