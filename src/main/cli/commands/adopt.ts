import { SpeedgridError } from '../../../shared/model/error.ts'
import { EXIT } from '../exit-codes.ts'
import { apiKeyFrom } from '../plan/plan-options.ts'
import type { Registration } from '../program.ts'

export function registerAdopt({ program, run }: Registration): void {
  program
    .command('adopt')
    .argument('<host>')
    .requiredOption('--port <p>', "the server's port on the host")
    .option('--api-key-env <variable>', "name of the environment variable with the server's API key")
    .option('--name <name>', 'a name for it')
    .option('--user <account>', "the account whose server it is, where that isn't yours and it gets a key")
    .description("take over a server that we didn't start")
    .action((host: string, options: { port: string; apiKeyEnv?: string; name?: string; user?: string }) =>
      run('adopt', async (context) => {
        const port = portOf(options.port)
        const apiKey = apiKeyFrom(context.deps.env, options.apiKeyEnv)
        const engine = await context.engine()
        const server = await engine.servers.adopt(host, port, {
          ...(apiKey && { apiKey }),
          ...(options.name && { name: options.name }),
          ...(options.user && { user: options.user }),
        })
        context.output.progress(`Adopted the server on port ${port} of ${host}; stop leaves it alone.`)
        context.output.both(server.id, server)
        return EXIT.done
      }),
    )
}

/** 1…65535. Throws `usage`. */
export function portOf(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : 0
  if (port >= 1 && port <= 65_535) return port
  throw new SpeedgridError('usage', `"${text}" is not a port.`, { nextStep: 'Give a number from 1 to 65535.' })
}
