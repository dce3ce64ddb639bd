import type { Command } from 'commander'
import { EXIT } from '../exit-codes.ts'
import type { Registration, Run } from '../program.ts'
import { textTable } from '../text-table.ts'
import { cleanHost } from './hosts-clean.ts'
import { trustHost } from './hosts-trust.ts'

export function registerHosts({ program, run }: Registration): void {
  const hosts = program.command('hosts').description('the host list')
  registerList(hosts, run)
  hosts
    .command('add')
    .argument('<name>', 'how you call it')
    .argument('<address>', '[user@]address[:port], or an alias of ~/.ssh/config')
    .option('--identity <file>', 'private key to use')
    .description('add a host; what is not said comes from ~/.ssh/config')
    .action((name: string, address: string, options: { identity?: string }) =>
      run('hosts add', async (context) => {
        const engine = await context.engine()
        const host = engine.hosts.add(name, address, options.identity ? { identityFile: context.path(options.identity) } : {})
        context.output.both(`Added ${host.name} (${hostAddress(host)}).`, { host })
        context.output.progress(`Next: speedgrid hosts trust ${host.name}, then speedgrid doctor ${host.name}`)
        return EXIT.done
      }),
    )
  hosts
    .command('remove')
    .argument('<name>')
    .description('take a host off the list; its runs stay in the history')
    .action((name: string) =>
      run('hosts remove', async (context) => {
        const engine = await context.engine()
        engine.hosts.get(name)
        engine.hosts.remove(name)
        context.output.both(`Removed ${name}.`, { removed: name })
        return EXIT.done
      }),
    )
  hosts
    .command('clean')
    .argument('<name>')
    .option('--list', 'only list it')
    .option('--yes', 'remove without asking, for scripts')
    .description('list what is ours on a host (Node that was brought, folders of servers and runs) and remove what is not in use')
    .action((name: string, options: { list?: boolean; yes?: boolean }) =>
      run('hosts clean', (context) => cleanHost(context, name, options)),
    )
  hosts
    .command('trust')
    .argument('<name>')
    .option(
      '--fingerprint <sha256...>',
      'the fingerprint you expect (SHA256:…), for scripts; one for each machine on the way',
      (each: string, all: string[] | undefined) => [...(all ?? []), each],
    )
    .description("show the fingerprint of the host's key, and of those of its jump hosts, and record it")
    .action((name: string, options: { fingerprint?: string[] }) =>
      run('hosts trust', (context) => trustHost(context, name, options.fingerprint ?? [])),
    )
}

function registerList(hosts: Command, run: Run): void {
  hosts
    .command('list', { isDefault: true })
    .description('list the hosts')
    .action(() =>
      run('hosts list', async (context) => {
        const list = (await context.engine()).hosts.list()
        const rows = list.map((host) => [host.name, hostAddress(host), host.identityFile ?? '', host.demo ? 'demo' : ''])
        const text =
          list.length > 0
            ? textTable(['name', 'address', 'key', ''], rows)
            : 'No hosts yet. Add one: speedgrid hosts add NAME [user@]address'
        context.output.both(text, { hosts: list })
        return EXIT.done
      }),
    )
}

function hostAddress(host: { user?: string; address: string; port?: number }): string {
  return `${host.user ? `${host.user}@` : ''}${host.address}${host.port ? `:${host.port}` : ''}`
}
