import type { GpuSample } from '../model/telemetry.ts'

const BASE = [
  'index',
  'uuid',
  'utilization.gpu',
  'memory.used',
  'power.draw',
  'temperature.gpu',
  'clocks.sm',
  'clocks.mem',
] as const

/** From best to least: one unknown field fails the whole query, and older drivers know the throttle reasons by another name or not at all. */
export const NVIDIA_SMI_FIELD_SETS: readonly (readonly string[])[] = [
  [...BASE, 'clocks_event_reasons.active'],
  [...BASE, 'clocks_throttle_reasons.active'],
  BASE,
  ['index', 'uuid', 'utilization.gpu', 'memory.used', 'power.draw', 'temperature.gpu'],
]

/** nvmlClocksEventReasons; `gpu_idle` (1) is no throttling. */
const REASONS: readonly (readonly [bit: number, name: string])[] = [
  [0x2, 'applications_clocks_setting'],
  [0x4, 'sw_power_cap'],
  [0x8, 'hw_slowdown'],
  [0x10, 'sync_boost'],
  [0x20, 'sw_thermal_slowdown'],
  [0x40, 'hw_thermal_slowdown'],
  [0x80, 'hw_power_brake_slowdown'],
  [0x100, 'display_clock_setting'],
]
const KNOWN_BITS = 0x1ff

/** Arguments of a query; with `periodMs` it repeats until it is ended. */
export function nvidiaSmiArguments(fields: readonly string[], periodMs?: number): string[] {
  const loop = periodMs === undefined ? [] : ['-lms', String(periodMs)]
  return [`--query-gpu=${fields.join(',')}`, '--format=csv,noheader,nounits', ...loop]
}

/** Names of the reasons in a bit mask such as 0x0000000000000004; undefined where it isn't one. */
export function decodeThrottleReasons(mask: string): string[] | undefined {
  if (!/^0x[0-9a-f]+$/i.test(mask)) return undefined
  const bits = Number.parseInt(mask, 16)
  const names = REASONS.filter(([bit]) => (bits & bit) !== 0).map(([, name]) => name)
  const unknown = bits - (bits & KNOWN_BITS)
  return unknown > 0 ? [...names, `0x${unknown.toString(16)}`] : names
}

const NUMBER_FIELDS: Record<string, Exclude<keyof GpuSample, 'index' | 'uuid' | 'throttleReasons'>> = {
  'utilization.gpu': 'utilizationPercent',
  'memory.used': 'memoryUsedMiB',
  'power.draw': 'powerWatts',
  'temperature.gpu': 'temperatureC',
  'clocks.sm': 'smClockMhz',
  'clocks.mem': 'memoryClockMhz',
}

/** One line of `--format=csv,noheader,nounits`. `[N/A]`, `[Not Supported]` and the like are absent values; undefined for any other line. */
export function parseGpuLine(line: string, fields: readonly string[]): GpuSample | undefined {
  const values = line.split(',').map((value) => value.trim())
  if (values.length !== fields.length) return undefined
  const index = values[fields.indexOf('index')] ?? ''
  if (!/^\d+$/.test(index)) return undefined
  const sample: GpuSample = { index: Number(index) }
  fields.forEach((field, position) => {
    const value = values[position] ?? ''
    const name = NUMBER_FIELDS[field]
    if (name !== undefined) {
      if (/^-?\d+(\.\d+)?$/.test(value)) sample[name] = Number(value)
    } else if (field === 'uuid') {
      if (/^(GPU|MIG)-/.test(value)) sample.uuid = value
    } else if (field.endsWith('_reasons.active')) {
      const reasons = decodeThrottleReasons(value)
      if (reasons) sample.throttleReasons = reasons
    }
  })
  return sample
}

/** The query named a field that this driver doesn't know. */
export function isUnknownField(output: string): boolean {
  return /not a valid field to query/i.test(output)
}
