export { createServe, type Serve, type ServeOptions } from './create-serve.ts'
export { startServe, type StartedServe, type StartServeOptions } from './start-serve.ts'
