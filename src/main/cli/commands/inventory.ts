import { bytesText, harmless } from '../../../shared/format/index.ts'
import type { Inventory } from '../../../shared/model/host.ts'
import type { ServerStatus } from '../../servers/types.ts'
import { EXIT } from '../exit-codes.ts'
import type { Registration } from '../program.ts'
import { serverRow, serverTable } from './servers.ts'

export function registerInventory({ program, run }: Registration): void {
  program
    .command('inventory')
    .argument('<host>')
    .description('GPUs, environments and running servers of a host')
    .action((host: string) =>
      run('inventory', async (context) => {
        const engine = await context.engine()
        const inventory = await engine.hosts.inventory(host)
        const servers = await engine.servers.list(host)
        context.output.both(harmless(inventoryText(inventory, servers)), { ...inventory, servers })
        return EXIT.done
      }),
    )
}

function inventoryText(it: Inventory, servers: ServerStatus[]): string {
  const fact = (label: string, value: string | undefined) => (value ? [`${label.padEnd(13)} ${value}`] : [])
  const cpu = [it.cpuModel, it.cpuCount === undefined ? undefined : `${it.cpuCount} cores`].filter(Boolean).join(', ')
  const lines = [
    ...fact('Host', it.hostName),
    ...fact('System', [it.osRelease ?? it.os, it.kernel, it.arch].filter(Boolean).join(', ')),
    ...fact('CPU', cpu),
    ...fact('Memory', it.memoryBytes === undefined ? undefined : bytesText(it.memoryBytes)),
    ...fact('Free at home', it.homeFreeBytes === undefined ? undefined : bytesText(it.homeFreeBytes)),
    ...fact('Python', it.python && `${it.python.version} (${it.python.path})`),
    ...fact('Node', it.node ? `${it.node.version} (${it.node.path})` : 'none'),
    '',
    it.gpus.length === 0 ? 'No GPUs seen.' : `GPUs (${it.gpuTool ?? 'seen'}):`,
    ...it.gpus.map(
      (gpu) =>
        `  ${gpu.index}  ${[gpu.name, memoryText(gpu.memoryMiB), gpu.driverVersion && `driver ${gpu.driverVersion}`].filter(Boolean).join(', ')}`,
    ),
    '',
    it.environments.length === 0 ? 'No vLLM found.' : 'Environments:',
    ...it.environments.map(
      (env) =>
        `  ${env.vllm}  ${[env.version && `vLLM ${env.version}`, env.torchVersion && `torch ${env.torchVersion}`, env.cuda && `CUDA ${env.cuda}`].filter(Boolean).join(', ')}`,
    ),
    '',
    servers.length === 0 ? 'No servers of ours.' : serverTable(servers.map(serverRow)),
  ]
  return lines.join('\n')
}

const memoryText = (mib: number | undefined) => (mib === undefined ? undefined : bytesText(mib * 1024 * 1024))
