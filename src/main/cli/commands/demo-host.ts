import type { DemoHostReady } from '../../engine/demo/types.ts'
import type { CommandContext } from '../context.ts'
import { SpeedgridError } from '../../../shared/model/error.ts'
import { EXIT } from '../exit-codes.ts'
import type { Registration } from '../program.ts'
import { portOf } from './adopt.ts'

export function registerDemoHost({ program, run }: Registration): void {
  program
    .command('demo-host')
    .requiredOption('--machine <name>', 'h200, rtx-pro-6000 or 4x-rtx-pro-6000')
    .option('--port <p>', 'port of its SSH server (a free one)')
    .description('only the demo lab machine: prints its SSH address, key file and host key; stops on Ctrl-C')
    .action((options: { machine: string; port?: string }) => run('demo-host', (context) => demoHost(context, options)))
}

async function demoHost(context: CommandContext, options: { machine: string; port?: string }): Promise<number> {
  const { output, interrupts, deps } = context
  const port = options.port === undefined ? undefined : portOf(options.port)
  // Ctrl-C is how this command ends well, from the first moment on.
  const stopped = new Promise<undefined>((resolve) => {
    interrupts.takeOver(() => resolve(undefined))
  })
  const starting = deps.startDemoHost({ machine: options.machine, ...(port !== undefined && { port }) })
  try {
    const machine = await Promise.race([starting, stopped])
    if (machine === undefined) return EXIT.interrupted
    await announce(context, machine.ready)
    output.progress('It runs until Ctrl-C.')
    const said = await Promise.race([machine.exited, stopped])
    if (said === undefined) return EXIT.done
    throw new SpeedgridError('remote', 'The demo lab machine ended by itself.', { evidence: said ? [said] : [] })
  } finally {
    await starting.then((machine) => machine.dispose()).catch(() => {})
  }
}

async function announce({ output, chosenDataDir, dataDir }: CommandContext, ready: DemoHostReady): Promise<void> {
  const name = `demo-${ready.machine}`
  // Loaded here: whatever else is asked of the program needs no SSH.
  const { quoteArgv } = await import('../../../shared/command/index.ts')
  const typed = (...words: string[]) =>
    quoteArgv(['speedgrid', 'hosts', ...words, ...(chosenDataDir ? ['--data-dir', dataDir] : [])])
  const commands = [
    typed('add', name, `${ready.user}@${ready.address}:${ready.port}`, '--identity', ready.clientKeyPath),
    typed('trust', name, '--fingerprint', ready.hostKeyFingerprint),
  ]
  const lines = [
    `Demo lab machine "${ready.machine}": every figure it gives is simulated.`,
    `address   ${ready.user}@${ready.address}:${ready.port}`,
    `key file  ${ready.clientKeyPath}`,
    `host key  ${ready.hostKeyFingerprint}`,
    `          ${ready.hostKeyLine}`,
    '',
    'Add and trust it:',
    ...commands.map((command) => `  ${command}`),
    'Then, for example:',
    `  speedgrid launch ${name} -- ${quoteArgv(ready.launchWords)}`,
  ]
  output.both(lines.join('\n'), { ...ready, commands })
  output.event({ kind: 'demo-host', ...ready, commands })
}
