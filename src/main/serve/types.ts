export type { StartedServe } from './start-serve.ts'
