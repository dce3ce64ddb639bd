import type { Gpu, Inventory } from '../model/host.ts'
import type { RunDocument } from '../model/run.ts'
import { shellTokens } from '../command/words.ts'
import { bytesText, countText } from '../format/index.ts'
import { nominalMemoryGb } from './gpu-memory.ts'
import type { Pair } from './types.ts'

interface HardwareTexts {
  /** What stands behind "on" in the heading: "H200 NVL 141GB", "RTX PRO 6000 … 96GB ×4"; undefined where nothing is known. */
  title?: string
  /** The published rows. */
  rows: Pair[]
  /** What we know besides. */
  more: Pair[]
}

export function hardwareTexts(run: RunDocument): HardwareTexts {
  const hardware = run.hardware
  if (hardware === undefined) {
    return run.host === undefined ? { rows: [], more: [] } : { title: run.host.name, rows: [], more: [] }
  }
  const more = moreRows(hardware, run)
  const onCpu = hardware.gpus.length === 0 || run.engine?.backend === 'cpu' || run.engine?.version?.includes('+cpu') === true
  return onCpu ? { ...cpuTexts(hardware), more } : { ...gpuTexts(hardware, usedGpus(hardware.gpus, run)), more }
}

/** GPU name as people say it: without the maker in front. */
export function shortGpuName(name: string): string {
  return name.replace(/^(NVIDIA|AMD)\s+/i, '').replace(/^Graphics Device$/i, 'GPU')
}

function gpuTexts(hardware: Inventory, gpus: Gpu[]): Omit<HardwareTexts, 'more'> {
  const groups = new Map<string, Gpu[]>()
  for (const gpu of gpus) groups.set(shortGpuName(gpu.name), [...(groups.get(shortGpuName(gpu.name)) ?? []), gpu])
  const kinds = [...groups].map(([name, members]) => ({
    name,
    count: members.length,
    memoryGb: nominalMemoryGb(name, members[0]?.memoryMiB),
    unified: members.every((gpu) => gpu.memoryMiB === undefined),
  }))
  const unified = kinds.every((kind) => kind.unified)
  const title = kinds
    .map(({ name, count, memoryGb }) => {
      const memory = memoryGb === undefined || /\d\s?GB\b/i.test(name) ? '' : ` ${String(memoryGb)}GB`
      return `${name}${memory}${count > 1 ? ` ×${String(count)}` : ''}`
    })
    .join(' + ')
  const names = kinds.map(({ name, count }) => (kinds.length > 1 && count > 1 ? `${String(count)} × ${name}` : name))
  return {
    title,
    rows: [
      { label: 'Type', text: unified ? 'GPU with unified memory' : 'Discrete GPU' },
      { label: 'GPU', text: names.join(', ') },
      ...(gpus.length > 1 ? [{ label: 'GPU count', text: String(gpus.length) }] : []),
      ...vramRow(kinds, unified),
      ...osRow(hardware),
    ],
  }
}

function vramRow(kinds: { count: number; memoryGb: number | undefined }[], unified: boolean): Pair[] {
  const sizes = kinds.flatMap(({ count, memoryGb }) => (memoryGb === undefined ? [] : [{ count, memoryGb }]))
  if (sizes.length !== kinds.length) return []
  const total = sizes.reduce((sum, { count, memoryGb }) => sum + count * memoryGb, 0)
  const parts = sizes.map(({ count, memoryGb }) => `${String(count)} × ${String(memoryGb)} GB`).join(' + ')
  const several = sizes.length > 1 || (sizes[0]?.count ?? 1) > 1
  const text = several ? `${String(total)} GB (${parts})` : `${String(total)} GB`
  return [{ label: 'VRAM', text: unified ? `${text}, shared with the CPU` : text }]
}

function cpuTexts(hardware: Inventory): Omit<HardwareTexts, 'more'> {
  const name = hardware.cpuModel
    ?.replace(/\((?:R|TM)\)/gi, '')
    .replace(/\s+/g, ' ')
    .trim()
  const cores =
    hardware.cpuCount === undefined ? undefined : `${countText(hardware.cpuCount)} ${hardware.cpuCount === 1 ? 'core' : 'cores'}`
  return {
    title: `${name ?? 'CPU'}${cores === undefined ? '' : ` (${cores})`}`,
    rows: [
      { label: 'Type', text: 'CPU' },
      ...(name === undefined ? [] : [{ label: 'CPU', text: name }]),
      ...(cores === undefined ? [] : [{ label: 'Cores', text: countText(hardware.cpuCount) }]),
      ...(hardware.memoryBytes === undefined ? [] : [{ label: 'Memory', text: bytesText(hardware.memoryBytes) }]),
      ...osRow(hardware),
    ],
  }
}

const osRow = (hardware: Inventory): Pair[] => [{ label: 'OS', text: hardware.os.toLowerCase() }]

/** The server's own GPUs: as many as its parallel sizes need, where the command tells; else as many as were sampled; else all. */
function usedGpus(gpus: Gpu[], run: RunDocument): Gpu[] {
  const sampled = Math.max(0, ...run.cells.map((cell) => cell.energy?.gpuCount ?? 0))
  const words =
    run.startedArgv ?? (run.launchCommand === undefined ? [] : shellTokens(run.launchCommand).map((word) => word.value))
  const visible = visibleGpus(gpus, words)
  const count = worldSize(run, words) ?? (sampled > 0 ? sampled : visible.length)
  return count < visible.length ? visible.slice(0, count) : visible
}

/** Those that CUDA_VISIBLE_DEVICES names, in its order; all where it isn't set or can't be matched. */
function visibleGpus(gpus: Gpu[], words: readonly string[]): Gpu[] {
  const setting = words.find((word) => word.startsWith('CUDA_VISIBLE_DEVICES='))?.split('=')[1]
  const named = (setting?.split(',') ?? []).map((name) =>
    gpus.find(
      (gpu) => String(gpu.index) === name.trim() || (name.startsWith('GPU-') && gpu.uuid?.startsWith(name.trim()) === true),
    ),
  )
  const found = named.filter((gpu) => gpu !== undefined)
  return found.length > 0 && found.length === named.length ? found : gpus
}

const PARALLEL_FLAGS = [
  ['--tensor-parallel-size', '-tp'],
  ['--pipeline-parallel-size', '-pp'],
  ['--data-parallel-size', '-dp'],
] as const

function worldSize(run: RunDocument, words: readonly string[]): number | undefined {
  if (run.engine?.name !== 'vllm' || !words.includes('serve')) return undefined
  return PARALLEL_FLAGS.reduce((product, names) => product * flagNumber(words, names), 1)
}

function flagNumber(words: readonly string[], names: readonly string[]): number {
  let found = 1
  words.forEach((word, index) => {
    const [name = '', value = words[index + 1]] = word.replaceAll('_', '-').split('=')
    const number = Number(value)
    if (names.includes(name) && Number.isInteger(number) && number > 0) found = number
  })
  return found
}

function moreRows(hardware: Inventory, run: RunDocument): Pair[] {
  const gpus = hardware.gpus
  const unique = (values: (string | undefined)[]) => [...new Set(values.filter((value) => value !== undefined))].join(', ')
  const rows: [string, string | undefined][] = [
    [
      'Host',
      run.host === undefined
        ? hardware.hostName
        : `${run.host.name}${run.host.name === hardware.hostName ? '' : ` (${hardware.hostName})`}`,
    ],
    ['GPUs of the host', gpus.length > 0 ? String(gpus.length) : undefined],
    ['GPU driver', unique(gpus.map((gpu) => gpu.driverVersion))],
    ['Compute capability', unique(gpus.map((gpu) => gpu.computeCapability))],
    [
      'Power limit',
      unique(gpus.map((gpu) => (gpu.powerLimitWatts === undefined ? undefined : `${countText(gpu.powerLimitWatts)} W`))),
    ],
    ['Memory as read', unique(gpus.map((gpu) => (gpu.memoryMiB === undefined ? undefined : `${countText(gpu.memoryMiB)} MiB`)))],
    [
      'CPU',
      [hardware.cpuModel, hardware.cpuCount === undefined ? undefined : `${countText(hardware.cpuCount)} cores`]
        .filter(Boolean)
        .join(', '),
    ],
    ['Main memory', hardware.memoryBytes === undefined ? undefined : bytesText(hardware.memoryBytes)],
    ['System', [hardware.osRelease, hardware.kernel, hardware.arch].filter(Boolean).join(', ')],
  ]
  return rows.flatMap(([label, text]) => (text === undefined || text === '' ? [] : [{ label, text }]))
}
