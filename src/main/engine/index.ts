export { endConnectionOf } from '../ssh/index.ts'
export { createEngine } from './create-engine.ts'
export { type RunningEngine, startEngine, type StartOptions } from './start-engine.ts'
export type * from './types.ts'
