export { createStore } from './create-store.ts'
export { isProcessAlive, readStartTicks } from './own-process.ts'
export type * from './types.ts'
export { isHistoryLocked } from './sqlite-error.ts'
