import type { Environment, Gpu, Inventory } from '../../../shared/model/host.ts'
import { parseAmdSmi } from './amd-smi.ts'
import { known } from './known.ts'
import { parseNvidiaSmi } from './nvidia-smi.ts'
import type { Section } from './sections.ts'
import { readSections } from './sections.ts'

export interface Disk {
  path: string
  freeBytes?: number
  /** As `stat -f` names it: ext2/ext3, xfs, nfs, overlayfs … */
  kind?: string
}

/** Everything the script tells; the inventory is the part of it that is kept. */
export interface HostReading {
  inventory: Inventory
  user?: string
  shell?: string
  home?: string
  disks: { home?: Disk; cache?: Disk; tmp?: Disk; models?: Disk }
  /** Every Node found, good or too old. */
  nodes: { path: string; version: string }[]
  /** PCI vendors of display and accelerator devices. */
  gpuVendors: string[]
  has: string[]
}

export const OLDEST_NODE = 20

export function parseInventory(stdout: string): HostReading {
  const section = readSections(stdout)
  const system = section('system')
  const programs = section('programs')
  const gpus = readGpus(section('gpus'))
  const disks = readDisks(section('disk'))
  const nodes = readPrograms(programs, 'node')
  const newest = (found: { path: string; version: string }[]) =>
    [...found].sort((a, b) => compareVersions(b.version, a.version)).find((it) => Number.parseInt(it.version, 10) >= OLDEST_NODE)
  const brought = newest(readPrograms(programs, 'brought'))
  const node = newest(nodes) ?? (brought === undefined ? undefined : { ...brought, brought: true })
  const python = readPrograms(programs, 'python3')[0]
  const cpus = Number(system.one('cpus'))
  const memoryKib = Number(system.one('memory_kib'))
  const cpuModel = firstSaid(system.one('lscpu'), system.one('cpu'))
  const inventory = known<Inventory>({
    hostName: system.one('hostname') ?? 'unknown',
    os: (system.one('os') ?? 'unknown').toLowerCase(),
    osRelease: system.one('release'),
    kernel: system.one('kernel'),
    arch: system.one('arch'),
    cpuModel,
    cpuCount: Number.isInteger(cpus) && cpus > 0 ? cpus : undefined,
    memoryBytes: memoryKib > 0 ? memoryKib * 1024 : undefined,
    homeFreeBytes: disks.home?.freeBytes,
    modelsFreeBytes: disks.models?.freeBytes,
    gpus: gpus.gpus,
    gpuTool: gpus.tool,
    gpuProblem: gpus.problem,
    environments: readEnvironments(section('environments')),
    node,
    python,
  })
  return known<HostReading>({
    inventory,
    user: system.one('user'),
    shell: system.one('shell'),
    home: system.one('home'),
    disks,
    nodes,
    gpuVendors: section('gpus')
      .all('pci')
      .map((vendor) => vendor.trim()),
    has: programs.all('has').map((name) => name.trim()),
  })
}

function readGpus(section: Section): { gpus: Gpu[]; tool?: 'nvidia-smi' | 'amd-smi'; problem?: string } {
  const nvidiaProblem = section.all('nvidia_error').join('\n').trim()
  if (section.one('nvidia_smi') !== undefined) {
    const fields = section.one('nvidia_fields')?.split(',') ?? []
    const gpus = parseNvidiaSmi(fields, section.all('nvidia'), section.all('nvidia_list'))
    const code = section.one('nvidia_code')
    const problem =
      nvidiaProblem !== ''
        ? nvidiaProblem
        : code === '124'
          ? 'nvidia-smi did not answer within 30 s'
          : code && `nvidia-smi ended with status ${code}`
    if (gpus.length > 0 || section.one('amd_smi') === undefined) return { gpus, tool: 'nvidia-smi', problem }
  }
  if (section.one('amd_smi') === undefined) return { gpus: [] }
  const gpus = parseAmdSmi(section.all('amd_list').join('\n'), section.all('amd_static').join('\n'))
  const said = section.all('amd_list').join(' ').trim().slice(0, 300)
  return { gpus, tool: 'amd-smi', problem: gpus.length === 0 ? said || 'amd-smi lists no GPU' : undefined }
}

function readEnvironments(section: Section): Environment[] {
  const environments: Environment[] = []
  for (const { key, value } of section.lines) {
    const text = value.trim()
    const last = environments.at(-1)
    if (key === 'environment') environments.push({ vllm: text })
    else if (last === undefined || text === '') continue
    else if (key === 'python') last.python = text
    else if (key === 'vllm') last.version = text
    else if (key === 'torch') last.torchVersion = text
    else if (key === 'cuda') last.cuda = text
    else if (key === 'said') {
      const version = /(?<!\d)\d+\.\d+\S*/.exec(text)?.[0]
      if (version !== undefined) last.version = version
    }
  }
  return environments
}

/** "node v24.1.0 /usr/bin/node", "python3 Python 3.12.3 /usr/bin/python3" */
function readPrograms(section: Section, name: string): { path: string; version: string }[] {
  return section.all(name).flatMap((line) => {
    const match = /^(?:Python |v)?(\d+\.\d+\S*) (\/.*)$/.exec(line.trim())
    return match?.[1] === undefined || match[2] === undefined ? [] : [{ path: match[2], version: match[1] }]
  })
}

function readDisks(section: Section): HostReading['disks'] {
  const disk = (key: string): Disk | undefined => {
    const match = /^(\S+) (\S+) (.+)$/.exec(section.one(key) ?? '')
    if (match?.[3] === undefined) return undefined
    const freeKib = Number(match[1])
    return {
      path: match[3],
      freeBytes: Number.isFinite(freeKib) ? freeKib * 1024 : undefined,
      kind: match[2] === '-' ? undefined : match[2],
    }
  }
  return {
    home: disk('home'),
    cache: disk('cache'),
    tmp: disk('tmp'),
    models: disk('models'),
  }
}

function compareVersions(a: string, b: string): number {
  const parts = (text: string) => text.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0)
  const [left, right] = [parts(a), parts(b)]
  for (let index = 0; index < 3; index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

// lscpu says "-" for processors it can't name (virtual machines on Arm).
const firstSaid = (...texts: (string | undefined)[]) => texts.find((text) => text !== undefined && text !== '-')
