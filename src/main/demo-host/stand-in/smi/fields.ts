import { createHash } from 'node:crypto'
import type { Machine, MachineGpu } from '../../machines/index.ts'
import type { GpuUse } from '../gpu-state.ts'

/** One GPU at one moment. */
interface GpuView {
  index: number
  gpu: MachineGpu
  machine: Machine
  memoryUsedMiB: number
  /** 0…1. */
  busy: number
  now: Date
}

const IDLE_MEMORY_MIB = 4
const IDLE_TEMPERATURE_C = 31
const MEMORY_CLOCK_IDLE_MHZ = 405

export function viewGpus(machine: Machine, uses: readonly GpuUse[], now: Date): GpuView[] {
  return machine.gpus.map((gpu, index) => {
    const mine = uses.filter((use) => use.gpuIndexes.includes(index))
    const memory = mine.reduce((sum, use) => sum + use.memoryMiB, IDLE_MEMORY_MIB)
    const busy = Math.min(
      1,
      mine.reduce((sum, use) => sum + use.busy, 0),
    )
    return { index, gpu, machine, memoryUsedMiB: Math.min(memory, gpu.memoryMiB - 500), busy, now }
  })
}

/** A little unrest, the same for the same second and GPU. */
const unrest = (view: GpuView, span: number) => Math.sin(view.now.getTime() / 1700 + view.index * 2.1) * span

const power = (view: GpuView) => {
  const { idleWatts, busyWatts } = view.gpu
  return idleWatts + (busyWatts - idleWatts) * view.busy + unrest(view, view.busy > 0 ? 6 : 0.4)
}
const smClock = (view: GpuView) =>
  view.busy > 0 ? Math.round(view.gpu.maxSmClockMhz - 15 * Math.round(2 + unrest(view, 2))) : 210
const memoryClock = (view: GpuView) => (view.memoryUsedMiB > IDLE_MEMORY_MIB ? view.gpu.maxMemoryClockMhz : MEMORY_CLOCK_IDLE_MHZ)
const temperature = (view: GpuView) =>
  Math.round(IDLE_TEMPERATURE_C + (view.gpu.busyTemperatureC - IDLE_TEMPERATURE_C) * view.busy + unrest(view, 1))

export const gpuUuid = (view: Pick<GpuView, 'index' | 'machine'>) => {
  const hex = createHash('sha256').update(`${view.machine.name}/${view.index}`).digest('hex')
  return `GPU-${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}

const two = (value: number) => String(value).padStart(2, '0')
const timestamp = ({ now }: GpuView) =>
  `${now.getFullYear()}/${two(now.getMonth() + 1)}/${two(now.getDate())} ${two(now.getHours())}:${two(now.getMinutes())}:` +
  `${two(now.getSeconds())}.${String(now.getMilliseconds()).padStart(3, '0')}`

interface Field {
  unit?: string
  read(view: GpuView): string
}

const field = (read: (view: GpuView) => string | number, unit?: string): Field => ({
  read: (view) => String(read(view)),
  ...(unit ? { unit } : {}),
})

/** Sorted as --help-query-gpu has them is not needed; every name nvidia-smi knows by two spellings is here twice. */
export const GPU_FIELDS: ReadonlyMap<string, Field> = new Map<string, Field>([
  ['timestamp', field(timestamp)],
  ['driver_version', field((view) => view.machine.driverVersion)],
  ['count', field((view) => view.machine.gpus.length)],
  ['name', field((view) => view.gpu.name)],
  ['gpu_name', field((view) => view.gpu.name)],
  ['index', field((view) => view.index)],
  ['uuid', field(gpuUuid)],
  ['gpu_uuid', field(gpuUuid)],
  ['serial', field(() => '[N/A]')],
  ['pci.bus_id', field((view) => `00000000:${two(view.index + 1)}:00.0`)],
  ['gpu_bus_id', field((view) => `00000000:${two(view.index + 1)}:00.0`)],
  ['vbios_version', field(() => '98.02.6A.00.03')],
  ['compute_cap', field((view) => view.gpu.computeCapability)],
  ['persistence_mode', field(() => 'Enabled')],
  ['ecc.mode.current', field(() => 'Enabled')],
  ['mig.mode.current', field(() => 'Disabled')],
  ['compute_mode', field(() => 'Default')],
  ['pstate', field((view) => (view.memoryUsedMiB > IDLE_MEMORY_MIB ? 'P0' : 'P8'))],
  ['memory.total', field((view) => view.gpu.memoryMiB, 'MiB')],
  ['memory.used', field((view) => view.memoryUsedMiB, 'MiB')],
  ['memory.free', field((view) => view.gpu.memoryMiB - view.memoryUsedMiB - 480, 'MiB')],
  ['memory.reserved', field(() => 480, 'MiB')],
  ['utilization.gpu', field((view) => Math.round(view.busy > 0 ? Math.min(100, 82 + view.busy * 18) : 0), '%')],
  ['utilization.memory', field((view) => Math.round(view.busy * 62), '%')],
  ['temperature.gpu', field(temperature)],
  ['temperature.memory', field((view) => (view.machine.name === 'h200' ? temperature(view) + 6 : 'N/A'))],
  ['fan.speed', field(() => '[N/A]', '%')],
  ['power.draw', field((view) => power(view).toFixed(2), 'W')],
  ['power.draw.instant', field((view) => power(view).toFixed(2), 'W')],
  ['power.draw.average', field((view) => power(view).toFixed(2), 'W')],
  ['power.limit', field((view) => view.gpu.powerLimitWatts.toFixed(2), 'W')],
  ['enforced.power.limit', field((view) => view.gpu.powerLimitWatts.toFixed(2), 'W')],
  ['power.default_limit', field((view) => view.gpu.powerLimitWatts.toFixed(2), 'W')],
  ['power.max_limit', field((view) => view.gpu.powerLimitWatts.toFixed(2), 'W')],
  ['power.min_limit', field(() => '200.00', 'W')],
  ['clocks.sm', field(smClock, 'MHz')],
  ['clocks.current.sm', field(smClock, 'MHz')],
  ['clocks.gr', field(smClock, 'MHz')],
  ['clocks.current.graphics', field(smClock, 'MHz')],
  ['clocks.mem', field(memoryClock, 'MHz')],
  ['clocks.current.memory', field(memoryClock, 'MHz')],
  ['clocks.max.sm', field((view) => view.gpu.maxSmClockMhz, 'MHz')],
  ['clocks.max.graphics', field((view) => view.gpu.maxSmClockMhz, 'MHz')],
  ['clocks.max.mem', field((view) => view.gpu.maxMemoryClockMhz, 'MHz')],
  ['clocks.max.memory', field((view) => view.gpu.maxMemoryClockMhz, 'MHz')],
  ['clocks_event_reasons.active', field((view) => (view.busy > 0 ? '0x0000000000000000' : '0x0000000000000001'))],
  ['clocks_event_reasons.gpu_idle', field((view) => (view.busy > 0 ? 'Not Active' : 'Active'))],
  ['clocks_event_reasons.sw_power_cap', field(() => 'Not Active')],
  ['clocks_event_reasons.hw_slowdown', field(() => 'Not Active')],
  ['clocks_event_reasons.hw_thermal_slowdown', field(() => 'Not Active')],
  ['clocks_event_reasons.sw_thermal_slowdown', field(() => 'Not Active')],
  ['pcie.link.gen.current', field((view) => (view.memoryUsedMiB > IDLE_MEMORY_MIB ? 5 : 1))],
  ['pcie.link.gen.max', field(() => 5)],
  ['pcie.link.width.current', field(() => 16)],
  ['pcie.link.width.max', field(() => 16)],
])
