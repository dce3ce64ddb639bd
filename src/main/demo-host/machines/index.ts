import { fourRtxPro6000 } from './four-rtx-pro-6000.ts'
import { h200 } from './h200.ts'
import { rtxPro6000 } from './rtx-pro-6000.ts'
import type { Machine } from './types.ts'

export type { Machine, MachineGpu, PublishedCell, PublishedStatus } from './types.ts'

export const MACHINES: readonly Machine[] = [rtxPro6000, fourRtxPro6000, h200]

export const MACHINE_NAMES = MACHINES.map((machine) => machine.name)

export function findMachine(name: string): Machine | undefined {
  return MACHINES.find((machine) => machine.name === name)
}
