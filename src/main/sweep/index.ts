export { createSweeps, type SweepDeps } from './create-sweeps.ts'
export type * from './types.ts'
