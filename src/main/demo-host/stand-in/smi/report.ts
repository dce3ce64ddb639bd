import type { Machine } from '../../machines/index.ts'
import type { GpuUse } from '../gpu-state.ts'
import { GPU_FIELDS, gpuUuid, viewGpus } from './fields.ts'

interface Format {
  header: boolean
  units: boolean
}

/** A request that nvidia-smi refuses: printed to stdout, exit status 2 for fields, 1 for anything else. */
export class SmiError extends Error {
  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

export function readFormat(text: string | undefined): Format {
  const words = (text ?? '').split(',').map((word) => word.trim())
  if (!words.includes('csv')) throw new SmiError('Option --format requires "csv". Run \'nvidia-smi -h\' for more information.', 1)
  return { header: !words.includes('noheader'), units: !words.includes('nounits') }
}

/** One unknown field fails the whole query, as with the real one. */
export function queryGpus(
  machine: Machine,
  uses: readonly GpuUse[],
  names: readonly string[],
  format: Format,
  now = new Date(),
  only?: number,
): string {
  const known = names.map((name) => name.trim().replace(/^clocks_throttle_reasons\./, 'clocks_event_reasons.'))
  const fields = known.map((name, index) => {
    const found = GPU_FIELDS.get(name)
    if (!found) throw new SmiError(`Field "${names[index]?.trim() ?? ''}" is not a valid field to query.\n`, 2)
    return found
  })
  const header = format.header ? [known.map((name, index) => name + unitSuffix(fields[index]?.unit)).join(', ')] : []
  const rows = viewGpus(machine, uses, now)
    .filter((view) => only === undefined || view.index === only)
    .map((view) =>
      fields
        .map((entry) => {
          const value = entry.read(view)
          return format.units && entry.unit && !value.includes('N/A') ? `${value} ${entry.unit}` : value
        })
        .join(', '),
    )
  return `${[...header, ...rows].join('\n')}\n`
}

const unitSuffix = (unit: string | undefined) => (unit ? ` [${unit}]` : '')

const PROCESS_FIELDS = [
  'timestamp',
  'gpu_name',
  'gpu_bus_id',
  'gpu_serial',
  'gpu_uuid',
  'pid',
  'process_name',
  'name',
  'used_gpu_memory',
  'used_memory',
]

export function queryProcesses(machine: Machine, uses: readonly GpuUse[], names: readonly string[], format: Format): string {
  const fields = names.map((name) => name.trim())
  const unknown = fields.find((name) => !PROCESS_FIELDS.includes(name))
  if (unknown !== undefined) throw new SmiError(`Field "${unknown}" is not a valid field to query.\n`, 2)
  const rows = uses.flatMap((use) =>
    use.gpuIndexes.map((index) => {
      const memory = `${use.memoryMiB}${format.units ? ' MiB' : ''}`
      const values: Record<string, string> = {
        gpu_name: machine.gpus[index]?.name ?? '',
        gpu_uuid: gpuUuid({ machine, index }),
        pid: String(use.enginePid),
        process_name: 'VLLM::EngineCore',
        name: 'VLLM::EngineCore',
        used_gpu_memory: memory,
        used_memory: memory,
      }
      return fields.map((name) => values[name] ?? '[N/A]').join(', ')
    }),
  )
  const header = format.header ? [fields.map((name) => (name.startsWith('used') ? `${name} [MiB]` : name)).join(', ')] : []
  const lines = [...header, ...rows]
  return lines.length > 0 ? `${lines.join('\n')}\n` : ''
}

export function listGpus(machine: Machine): string {
  return machine.gpus.map((gpu, index) => `GPU ${index}: ${gpu.name} (UUID: ${gpuUuid({ machine, index })})\n`).join('')
}

export function helpQueryGpu(): string {
  const entries = [...GPU_FIELDS.keys()].map((name) => `"${name}"\nOne of the values this demo machine reports.\n`)
  return `List of valid properties to query for the switch "--query-gpu":\n\n${entries.join('\n')}`
}

/** The table that nvidia-smi prints without options, short. */
export function summary(machine: Machine, uses: readonly GpuUse[], now = new Date()): string {
  const line = `+${'-'.repeat(77)}+`
  const rows = viewGpus(machine, uses, now).map(
    (view) =>
      `| ${String(view.index).padStart(3)}  ${view.gpu.name.padEnd(46)} ${String(view.memoryUsedMiB).padStart(7)}MiB / ${view.gpu.memoryMiB}MiB |`,
  )
  return [
    now.toString(),
    line,
    `| NVIDIA-SMI ${machine.driverVersion}    Driver Version: ${machine.driverVersion}    CUDA Version: ${machine.cudaVersion}     |`,
    `| Stand-in of Speedgrid's demo lab machine "${machine.name}"`.padEnd(78) + '|',
    line,
    ...rows,
    line,
    '',
  ].join('\n')
}
