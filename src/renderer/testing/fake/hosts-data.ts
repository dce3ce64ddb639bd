import type { HostView } from '../../../shared/contract/hosts.ts'
import type { Gpu, Host, Inventory } from '../../../shared/model/host.ts'

const GiB = 1024 ** 3
export const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

const host = (name: string, address: string, more: Partial<Host> = {}): Host => ({
  name,
  address,
  demo: false,
  addedAt: minutesAgo(60 * 24 * 9),
  ...more,
})

const gpus = (count: number, name: string, memoryMiB: number, powerLimitWatts: number): Gpu[] =>
  Array.from({ length: count }, (_, index) => ({
    index,
    uuid: `GPU-0000000${String(index)}-1111-2222-3333-444444444444`,
    name,
    memoryMiB,
    driverVersion: '580.95.05',
    powerLimitWatts,
    computeCapability: '12.0',
  }))

export const inventory = (hostName: string, more: Partial<Inventory> = {}): Inventory => ({
  hostName,
  os: 'Ubuntu 24.04.3 LTS',
  osRelease: '24.04',
  kernel: '6.8.0-85-generic',
  arch: 'x86_64',
  cpuModel: 'AMD EPYC 9355 32-Core Processor',
  cpuCount: 64,
  memoryBytes: 755 * GiB,
  homeFreeBytes: 812 * GiB,
  modelsFreeBytes: 2410 * GiB,
  gpus: gpus(1, 'NVIDIA H200', 143_771, 700),
  gpuTool: 'nvidia-smi',
  environments: [
    { vllm: '/home/ann/venvs/vllm-0.24/bin/vllm', python: '3.12.11', version: '0.24.1', torchVersion: '2.9.0', cuda: '13.0' },
    {
      vllm: '/opt/vllm-nightly/bin/vllm',
      python: '3.12.11',
      version: '0.25.0.dev118+g9a1b2c3',
      torchVersion: '2.10.0',
      cuda: '13.0',
    },
  ],
  node: { path: '/usr/bin/node', version: 'v22.19.0' },
  python: { path: '/usr/bin/python3', version: '3.12.3' },
  ...more,
})

/** One host in every state there is. */
export function richHosts(): HostView[] {
  return [
    {
      host: host('gpu-lab-1', '10.20.0.11', { user: 'ann' }),
      connection: 'connected',
      inventory: inventory('gpu-lab-1'),
      inventoryAt: minutesAgo(3),
      runningServers: 1,
    },
    {
      host: host('quad-6000', 'quad6000.lab.example', { user: 'ann', port: 2222 }),
      connection: 'connected',
      inventory: inventory('quad6000', {
        gpus: gpus(4, 'NVIDIA RTX PRO 6000 Blackwell Workstation Edition', 97_887, 600),
        homeFreeBytes: 9.1 * GiB,
        modelsFreeBytes: 9.1 * GiB,
      }),
      inventoryAt: minutesAgo(41),
      runningServers: 0,
    },
    {
      host: host('spark', 'spark.local', { user: 'lab' }),
      connection: 'reconnecting',
      reason: 'The connection to spark broke (no answer for 15 s).',
      inventory: inventory('spark', {
        arch: 'aarch64',
        cpuModel: 'Cortex-X925',
        cpuCount: 20,
        gpus: [{ index: 0, name: 'NVIDIA GB10' }],
        environments: [{ vllm: '/home/lab/.venv/bin/vllm', version: '0.24.0' }],
      }),
      inventoryAt: minutesAgo(190),
    },
    {
      host: host('cpu-box', '10.20.0.40'),
      connection: 'connected',
      inventory: inventory('cpu-box', {
        gpus: [],
        gpuProblem: 'nvidia-smi: command not found',
        environments: [],
        cpuCount: 8,
        memoryBytes: 62 * GiB,
      }),
      inventoryAt: minutesAgo(12),
    },
    {
      host: host('old-dgx', 'dgx.old.example', { identityFile: '~/.ssh/id_dgx' }),
      connection: 'failed',
      reason: 'The host key of old-dgx has changed.',
      inventoryAt: minutesAgo(60 * 30),
    },
    { host: host('new-node', '10.20.0.77', { user: 'ann' }), connection: 'never' },
    { host: host('night-shift', '10.20.0.78'), connection: 'connecting' },
    {
      host: host('attic', 'attic.example'),
      connection: 'closed',
      inventory: inventory('attic', { gpus: gpus(2, 'NVIDIA GeForce RTX 4090', 24_564, 450) }),
      inventoryAt: minutesAgo(60 * 24 * 3),
    },
  ]
}

const EVIL = '<img src=x onerror="document.title=\'owned\'"><b>bold</b> \u001b[31mred\u001b[0m javascript:alert(1)'

/** Whatever a host can say about itself, said with bad intent. */
export function hostileHosts(): HostView[] {
  const view: HostView = {
    host: { ...host('plain-name', `javascript:alert(1)//<script>document.title='owned'</script>`), user: '<i>root</i>' },
    connection: 'failed',
    reason: EVIL,
    inventory: inventory(EVIL, {
      os: EVIL,
      cpuModel: EVIL,
      gpus: [{ index: 0, name: EVIL, memoryMiB: 1000 }],
      gpuProblem: EVIL,
      environments: [{ vllm: `/tmp/${EVIL}`, version: EVIL }],
    }),
    inventoryAt: minutesAgo(1),
    runningServers: 1,
  }
  return [view, ...richHosts().slice(0, 1)]
}
export { EVIL }
