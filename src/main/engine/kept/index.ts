export { keptOnHost, removeKeptOnHost } from '../api/kept-on-host.ts'
