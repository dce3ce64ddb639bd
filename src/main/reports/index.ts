export { writeReport } from './write-report.ts'
