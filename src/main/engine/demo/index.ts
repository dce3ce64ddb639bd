export { addDemoHost, endRunsOf, removeDeadDemoHosts, removeDemoHost } from './demo-host-entry.ts'
export { spawnDemoHost } from './demo-host-process.ts'
export type * from './types.ts'
