export { createHosts, type HostsDeps } from './create-hosts.ts'
export type { Network } from './doctor/network.ts'
export { DOCTOR_CHECKS } from './types.ts'
export type * from './types.ts'
