import { tmpdir } from 'node:os'
import { findMachine, MACHINE_NAMES } from '../machines/index.ts'
import type { Machine } from '../machines/index.ts'

/** Which machine we belong to, as the wrapper in the demo folder says. */
export function readMachineEnvironment(environment: NodeJS.ProcessEnv = process.env): { machine: Machine; stateFolder: string } {
  const name = environment['SPEEDGRID_DEMO_MACHINE'] ?? ''
  const machine = findMachine(name)
  if (!machine) {
    throw new Error(`SPEEDGRID_DEMO_MACHINE=${name}: this is the stand-in of a demo machine (${MACHINE_NAMES.join(', ')})`)
  }
  return { machine, stateFolder: environment['SPEEDGRID_DEMO_STATE'] ?? tmpdir() }
}
