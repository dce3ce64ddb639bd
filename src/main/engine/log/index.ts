export { endOnBug } from './end-on-bug.ts'
export { logFailure, logPath } from './failure-log.ts'
