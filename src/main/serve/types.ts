export type { StartedServe, StartServeOptions } from './start-serve.ts'
