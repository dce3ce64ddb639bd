import type { GpuSample } from '../../shared/model/telemetry.ts'

/** Fields of `nvidia-smi --query-gpu`. The reasons have another name in drivers before 535; one unknown field fails the whole query. */
const BASE_FIELDS = [
  'index',
  'uuid',
  'utilization.gpu',
  'memory.used',
  'power.draw',
  'temperature.gpu',
  'clocks.sm',
  'clocks.mem',
]
export const FIELD_SETS = [
  [...BASE_FIELDS, 'clocks_event_reasons.active'],
  [...BASE_FIELDS, 'clocks_throttle_reasons.active'],
  BASE_FIELDS,
]

export function queryArgv(fields: readonly string[], loopMs?: number): string[] {
  const loop = loopMs === undefined ? [] : [`--loop-ms=${String(loopMs)}`]
  return ['nvidia-smi', `--query-gpu=${fields.join(',')}`, '--format=csv,noheader,nounits', ...loop]
}

/** Bits of the reasons as NVML names them (nvmlClocksEventReasons); idle is no throttling. */
const REASONS: readonly [bit: number, name: string][] = [
  [0x2, 'applications_clocks_setting'],
  [0x4, 'sw_power_cap'],
  [0x8, 'hw_slowdown'],
  [0x10, 'sync_boost'],
  [0x20, 'sw_thermal_slowdown'],
  [0x40, 'hw_thermal_slowdown'],
  [0x80, 'hw_power_brake_slowdown'],
  [0x100, 'display_clock_setting'],
]

/** One line of the CSV; undefined for anything else. What the device doesn't report ([N/A]) is absent. */
export function parseGpuLine(line: string): GpuSample | undefined {
  const cells = line.split(',').map((cell) => cell.trim())
  const index = Number(cells[0])
  if (cells.length < BASE_FIELDS.length || cells[0] === '' || !Number.isInteger(index)) return undefined
  const number = (at: number) => {
    const value = Number.parseFloat(cells[at] ?? '')
    return Number.isFinite(value) ? value : undefined
  }
  const mask = Number(cells[8] ?? 'none')
  return {
    index,
    uuid: cells[1],
    utilizationPercent: number(2),
    memoryUsedMiB: number(3),
    powerWatts: number(4),
    temperatureC: number(5),
    smClockMhz: number(6),
    memoryClockMhz: number(7),
    throttleReasons: Number.isInteger(mask) ? REASONS.filter(([bit]) => (mask & bit) !== 0).map(([, name]) => name) : undefined,
  }
}
