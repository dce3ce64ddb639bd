export { type ApiDeps, createApi, type RunningApi } from './create-api.ts'
export { createPrompts, type Prompts } from './prompts.ts'
export type { EndedSweep } from './sweep-trackers.ts'
