import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the stand-in server tells the stand-in nvidia-smi, through a file in the demo folder. */
export interface GpuUse {
  enginePid: number
  gpuIndexes: number[]
  memoryMiB: number
  /** 0…1; counts only while `atMs` is recent. */
  busy: number
  atMs: number
}

const RECENT_MS = 2500

export const gpuStateFile = (folder: string, apiPid: number) => join(folder, `gpu-${apiPid}.json`)

export function writeGpuUse(path: string, use: GpuUse): void {
  try {
    writeFileSync(`${path}.new`, JSON.stringify(use), { mode: 0o600 })
    renameSync(`${path}.new`, path)
  } catch {
    // The demo folder is being removed; nobody will read it any more.
  }
}

/** Uses whose process still lives; a killed engine's file is removed. */
export function readGpuUses(folder: string, nowMs = Date.now()): GpuUse[] {
  if (!existsSync(folder)) return []
  const uses: GpuUse[] = []
  for (const name of readdirSync(folder)) {
    if (!/^gpu-\d+\.json$/.test(name)) continue
    const path = join(folder, name)
    try {
      const use = JSON.parse(readFileSync(path, 'utf8')) as GpuUse
      if (!existsSync(`/proc/${use.enginePid}`)) rmSync(path, { force: true })
      else uses.push(nowMs - use.atMs > RECENT_MS ? { ...use, busy: 0 } : use)
    } catch {
      // Removed between the listing and the reading.
    }
  }
  return uses
}
