import type { StartedServe } from '../../serve/types.ts'
import { SpeedgridError } from '../../../shared/model/error.ts'
import type { CommandContext } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { openInBrowser } from '../open-browser.ts'
import type { Registration } from '../program.ts'
import { portOf } from './adopt.ts'

interface ServeOptions {
  port?: string
  open?: boolean
}

export function registerServe({ program, run }: Registration): void {
  program
    .command('serve')
    .option('--port <p>', 'port on 127.0.0.1 (a free one)')
    .option('--open', 'open the page in a browser')
    .description('the engine with its page on 127.0.0.1; prints a link that is good once; stops on Ctrl-C')
    .action((options: ServeOptions) => run('serve', (context) => serve(context, options)))
}

async function serve(context: CommandContext, options: ServeOptions): Promise<number> {
  const { output, interrupts, deps, dataDir } = context
  const port = options.port === undefined ? undefined : portOf(options.port)
  // Ctrl-C is how this command ends well, from the first moment on.
  const stopped = new Promise<undefined>((resolve) => {
    interrupts.takeOver(() => resolve(undefined))
  })
  const starting = deps.startServe({ dataDir, log: (text) => output.progress(text), ...(port === undefined ? {} : { port }) })
  // Also when something nobody caught ends the command: its runs are settled.
  context.endWith(() => starting.then((started) => started.dispose()).catch(() => undefined))
  const started = await Promise.race([starting, stopped])
  if (started === undefined) return EXIT.interrupted
  announce(context, started, port)
  if (options.open === true && !(await openInBrowser(started.link, { ...deps, dataDir }))) {
    output.progress('No browser could be opened here; open the link yourself.')
  }
  if (!started.ours) return EXIT.done
  await stopped
  const names = started.dependents()
  if (names.length > 0) output.progress(`Interrupting ${names.join(', ')} (can be resumed) …`)
  await started.dispose()
  output.progress('Stopped. Sweeps whose driver runs on a host go on there.')
  return EXIT.done
}

function announce({ output }: CommandContext, started: StartedServe, port: number | undefined): void {
  const { address, link, ours } = started
  if (!ours && port !== undefined && port !== started.port) {
    throw new SpeedgridError('conflict', `This data folder is served already, at ${address}.`, {
      nextStep: 'Leave --port out for a new link to that one, or name another folder with --data-dir.',
    })
  }
  const lines = [
    ours ? `Speedgrid is at ${address}` : `Speedgrid runs already at ${address} (process ${String(started.pid)})`,
    `Open this link, it is good once: ${link}`,
  ]
  output.both(lines.join('\n'), { address, link, port: started.port, pid: started.pid, started: ours })
  output.event({ kind: 'serve', address, link, port: started.port, pid: started.pid, started: ours })
  if (!ours) return
  output.progress(
    [
      `From another machine: ssh -L ${String(started.port)}:127.0.0.1:${String(started.port)} THIS-MACHINE, then the same link there.`,
      'Another link: speedgrid serve --open (same data folder). It runs until Ctrl-C.',
    ].join('\n'),
  )
}
