import { type ErrorInfo, SpeedgridError } from '../../../shared/model/error.ts'
import type { ServerStatus } from '../../servers/types.ts'
import type { CommandContext } from '../context.ts'
import { errorText } from '../errors.ts'
import { EXIT, exitCodeOf } from '../exit-codes.ts'
import type { Registration } from '../program.ts'
import { textTable } from '../text-table.ts'

export function registerServers({ program, run }: Registration): void {
  program
    .command('servers')
    .argument('[host]', 'all hosts when absent')
    .description('running servers, with their state checked now')
    .action((host?: string) => run('servers', (context) => listServers(context, host)))
}

async function listServers(context: CommandContext, host: string | undefined): Promise<number> {
  const { output } = context
  const engine = await context.engine()
  if (host !== undefined) {
    engine.hosts.get(host)
    const servers = await engine.servers.list(host)
    output.both(serversText(servers), { servers })
    return EXIT.done
  }
  const hosts = engine.hosts.list()
  const servers: ServerStatus[] = []
  const errors: { host: string; error: ErrorInfo }[] = []
  for (const { name } of hosts) {
    try {
      servers.push(...(await engine.servers.list(name)))
    } catch (error) {
      // One machine that is off must not hide the others.
      if (!(error instanceof SpeedgridError)) throw error
      errors.push({ host: name, error: error.toInfo() })
      output.warn(`${name}: ${errorText(error.toInfo(), output.style)}`)
    }
  }
  output.both(serversText(servers), { servers, ...(errors.length > 0 && { errors }) })
  const [first] = errors
  return first && errors.length === hosts.length ? exitCodeOf(first.error.code) : EXIT.done
}

const serversText = (servers: ServerStatus[]) => (servers.length > 0 ? serverTable(servers.map(serverRow)) : 'No servers.')

export function serverRow({ server, state, health, evidence }: ServerStatus): string[] {
  return [
    server.host,
    server.id,
    server.name ?? '',
    state,
    String(server.port),
    server.startedAt.slice(0, 16).replace('T', ' '),
    health ?? evidence,
  ]
}

export const serverTable = (rows: string[][]) =>
  textTable(['host', 'server', 'name', 'state', 'port', 'since (UTC)', 'health'], rows)
