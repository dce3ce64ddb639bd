export { addDemoHost, endRunsOf, removeDeadDemoHosts } from './demo-host-entry.ts'
export { spawnDemoHost } from './demo-host-process.ts'
export type * from './types.ts'
