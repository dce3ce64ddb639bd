import type { Gpu } from '../../../shared/model/host.ts'
import { known } from './known.ts'

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** `amd-smi list --json` and `amd-smi static --json` → GPUs. Key names and shapes differ by release, values may be {value, unit} or "N/A". */
export function parseAmdSmi(listText: string, staticText: string): Gpu[] {
  const details = entries(staticText)
  return entries(listText).flatMap((entry) => {
    const index = integer(entry.gpu)
    if (index === undefined) return []
    const detail = details.find((it) => integer(it.gpu) === index) ?? {}
    const asic = isObject(detail.asic) ? detail.asic : {}
    const vram = isObject(detail.vram) ? detail.vram : {}
    const driver = isObject(detail.driver) ? detail.driver : {}
    const limit = isObject(detail.limit) ? detail.limit : {}
    const name = text(asic.market_name) ?? text(entry.name) ?? 'AMD GPU'
    const uuid = text(entry.uuid)
    const memoryMiB = amount(vram.size)
    const driverVersion = text(driver.version)
    const powerLimitWatts = amount(limit.max_power) ?? amount(limit.power_limit)
    const computeCapability = text(asic.target_graphics_version)
    return [known<Gpu>({ index, name, uuid, memoryMiB, driverVersion, powerLimitWatts, computeCapability })]
  })
}

/** A list, or an object with the list under gpu_data; warnings may stand before it. */
function entries(json: string): Json[] {
  const start = json.search(/[[{]/)
  if (start < 0) return []
  try {
    const parsed: unknown = JSON.parse(json.slice(start))
    const list = isObject(parsed) ? parsed.gpu_data : parsed
    return Array.isArray(list) ? list.filter(isObject) : []
  } catch {
    return []
  }
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value !== 'N/A' ? value : undefined

function amount(value: unknown): number | undefined {
  const raw = isObject(value) ? value.value : value
  const number = typeof raw === 'number' ? raw : Number.parseFloat(text(raw) ?? '')
  return Number.isFinite(number) ? number : undefined
}

function integer(value: unknown): number | undefined {
  const number = amount(value)
  return number !== undefined && Number.isInteger(number) ? number : undefined
}
