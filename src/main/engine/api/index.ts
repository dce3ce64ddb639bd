export { createApi, type RunningApi } from './create-api.ts'
export { createPrompts } from './prompts.ts'
