import type { Gpu } from '../../../shared/model/host.ts'
import { known } from './known.ts'

/** A value as nvidia-smi writes it; what it doesn't have it writes in brackets ([N/A], [Not Supported], [Unknown Error]) or as N/A. */
function value(text: string | undefined): string | undefined {
  const trimmed = text?.trim()
  return trimmed === undefined ||
    trimmed === '' ||
    /^\[.*\]$/.test(trimmed) ||
    /^(N\/A|Not Supported|Unknown Error)$/i.test(trimmed)
    ? undefined
    : trimmed
}

function number(text: string | undefined): number | undefined {
  const said = value(text)
  const parsed = said === undefined ? Number.NaN : Number.parseFloat(said)
  return Number.isFinite(parsed) ? parsed : undefined
}

/**
 * Lines of `nvidia-smi --query-gpu=FIELDS --format=csv,noheader,nounits` → GPUs. `list` are the lines of `nvidia-smi -L`, where MIG devices
 * stand. Lines that don't fit the fields (warnings) are left out.
 */
export function parseNvidiaSmi(fields: readonly string[], lines: readonly string[], list: readonly string[] = []): Gpu[] {
  const mig = migDevices(list)
  return lines.flatMap((line) => {
    const cells = line.split(',')
    if (cells.length !== fields.length) return []
    const cell = (field: string) => cells[fields.indexOf(field)]
    const index = number(cell('index'))
    const name = value(cell('name'))
    if (index === undefined || !Number.isInteger(index) || name === undefined) return []
    return [
      known<Gpu>({
        index,
        name,
        uuid: value(cell('uuid')),
        memoryMiB: number(cell('memory.total')),
        driverVersion: value(cell('driver_version')),
        powerLimitWatts: number(cell('power.limit')),
        computeCapability: value(cell('compute_cap')),
        migDevices: value(cell('mig.mode.current')) === 'Enabled' ? (mig.get(index) ?? []) : undefined,
      }),
    ]
  })
}

/** `nvidia-smi -L`: "GPU 0: NAME (UUID: …)", below it "  MIG 1g.10gb     Device  0: (UUID: MIG-…)". */
function migDevices(list: readonly string[]): Map<number, string[]> {
  const devices = new Map<number, string[]>()
  let gpu = -1
  for (const line of list) {
    const top = /^\s*GPU (\d+):/.exec(line)
    const device = /^\s*MIG (\S+)\s+Device/.exec(line)
    if (top !== null) gpu = Number(top[1])
    else if (device?.[1] !== undefined) devices.set(gpu, [...(devices.get(gpu) ?? []), device[1]])
  }
  return devices
}
