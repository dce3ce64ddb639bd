export { spoolText } from './spool-text.ts'
