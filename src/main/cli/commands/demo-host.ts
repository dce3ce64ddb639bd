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
  const { output, interrupts } = context
  const port = options.port === undefined ? undefined : portOf(options.port)
  const machine = await context.deps.startDemoHost({ machine: options.machine, ...(port !== undefined && { port }) })
  const { ready } = machine
  const name = `demo-${ready.machine}`
  const commands = [
    `speedgrid hosts add ${name} ${ready.user}@${ready.address}:${ready.port} --identity ${ready.clientKeyPath}`,
    `speedgrid hosts trust ${name} --fingerprint ${ready.hostKeyFingerprint}`,
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
  ]
  output.both(lines.join('\n'), { ...ready, commands })
  output.event({ kind: 'demo-host', ...ready, commands })
  output.progress('It runs until Ctrl-C.')
  try {
    // Ctrl-C is how this command ends well.
    const end = await new Promise<string | undefined>((resolve) => {
      interrupts.takeOver(() => resolve(undefined))
      void machine.exited.then((said) => resolve(said))
    })
    if (end === undefined) return EXIT.done
    throw new SpeedgridError('remote', 'The demo lab machine ended by itself.', { evidence: end ? [end] : [] })
  } finally {
    await machine.dispose()
  }
}
