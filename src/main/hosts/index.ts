export { type ConnectionStates, createConnectionStates } from './connection-states.ts'
export { createHosts } from './create-hosts.ts'
export type * from './types.ts'
export { readClockAheadMs } from './host-clock.ts'
