import { createLogText } from '../log-text.ts'
import { EXIT } from '../exit-codes.ts'
import type { Registration } from '../program.ts'

export function registerLogs({ program, run }: Registration): void {
  program
    .command('logs')
    .argument('<host>')
    .argument('<server>', 'its id or name')
    .option('-f, --follow', 'go on until Ctrl-C')
    .option('--tail <bytes>', 'only the last so many bytes')
    .description("a server's log")
    .action((host: string, server: string, options: { follow?: boolean; tail?: string }) =>
      run('logs', async (context) => {
        const { output, interrupts, deps } = context
        const engine = await context.engine()
        const found = await engine.servers.find(host, server)
        let text = ''
        const shown = createLogText(output.resultStyle.color)
        // Following ends by Ctrl-C, and that is a good end.
        const release = options.follow ? interrupts.takeOver(() => {}) : undefined
        const tailBytes = options.tail === undefined ? undefined : Math.max(0, Math.floor(Number(options.tail))) || 0
        await engine.servers.log(
          host,
          found.server.id,
          (chunk) => {
            if (output.json) text += chunk
            else if (output.events) output.event({ log: chunk })
            else deps.stdout.write(shown(chunk))
          },
          { follow: options.follow === true, signal: interrupts.signal, ...(tailBytes !== undefined && { tailBytes }) },
        )
        release?.()
        output.document({ server: found.server.id, log: text })
        return EXIT.done
      }),
    )
}
