export { findMachine, MACHINE_NAMES, MACHINES } from './machines/index.ts'
export type { Machine, PublishedCell, PublishedPrefill } from './machines/index.ts'
export { startDemoHost } from './start-demo-host.ts'
export type { DemoHost, DemoHostOptions } from './start-demo-host.ts'
