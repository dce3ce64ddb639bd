export { createSweeps, type SweepDeps } from './create-sweeps.ts'
export { isDriverAlive } from './running-driver.ts'
export type * from './types.ts'
