import type { HostView } from '../../../shared/contract/hosts.ts'
import { bytesText } from '../../../shared/format/index.ts'
import type { Host, Inventory } from '../../../shared/model/host.ts'
import { nominalMemoryGb } from '../../../shared/report/gpu-memory.ts'
import { shortGpuName } from '../../../shared/report/hardware.ts'

/** `ann@10.20.0.11:2222`, as far as it is known. */
export function addressText({ address, user, port }: Host): string {
  return `${user === undefined ? '' : `${user}@`}${address}${port === undefined ? '' : `:${String(port)}`}`
}

/** "4 × RTX PRO 6000 … · 96 GB each"; what the host said where it has none. */
export function gpusText(inventory: Inventory | undefined): string {
  if (inventory === undefined) return '—'
  if (inventory.gpus.length === 0) return 'no GPU'
  const kinds = new Map<string, { count: number; memoryMiB: number | undefined }>()
  for (const gpu of inventory.gpus) {
    const name = shortGpuName(gpu.name)
    kinds.set(name, { count: (kinds.get(name)?.count ?? 0) + 1, memoryMiB: gpu.memoryMiB })
  }
  return [...kinds]
    .map(([name, { count, memoryMiB }]) => {
      const memory = nominalMemoryGb(name, memoryMiB)
      return `${count > 1 ? `${String(count)} × ` : ''}${name}${memory === undefined ? '' : ` · ${String(memory)} GB`}`
    })
    .join(', ')
}

/** The vLLM versions found, each once; a dash before the first look. */
export function environmentLines(inventory: Inventory | undefined): string[] {
  if (inventory === undefined) return ['—']
  const versions = new Set(inventory.environments.map((environment) => environment.version ?? 'unknown version'))
  return versions.size === 0 ? ['none found'] : [...versions]
}
export const environmentsText = (inventory: Inventory | undefined): string => environmentLines(inventory).join(', ')

export const diskText = (inventory: Inventory | undefined): string =>
  inventory === undefined ? '—' : bytesText(inventory.modelsFreeBytes ?? inventory.homeFreeBytes)

/** Less than a mid-sized model needs. */
const LOW_BYTES = 30 * 1024 ** 3
export const isDiskLow = (inventory: Inventory | undefined): boolean => {
  const free = inventory?.modelsFreeBytes ?? inventory?.homeFreeBytes
  return free !== undefined && free < LOW_BYTES
}

const COLUMNS = ['Host', 'Address', 'State', 'GPUs', 'vLLM', 'Servers', 'Free disk'] as const
/** The list as rows of text, for copying. */
export function hostRows(views: readonly HostView[]): { columns: readonly string[]; rows: string[][] } {
  const rows = views.map(({ host, connection, inventory, runningServers }) => [
    host.name,
    addressText(host),
    connection,
    gpusText(inventory),
    environmentsText(inventory),
    runningServers === undefined ? '—' : String(runningServers),
    diskText(inventory),
  ])
  return { columns: COLUMNS, rows }
}
