export { logFailure, logPath } from './failure-log.ts'
