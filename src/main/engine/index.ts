export { createEngine } from './create-engine.ts'
export type * from './types.ts'
