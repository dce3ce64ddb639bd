// Stands in for the engine's bundle, which needs a newer Node than the oldest Electron has.
const port = process.parentPort
const post = (message) => port.postMessage(message)
port.on('message', ({ data: message }) => {
  if (message.kind === 'shutdown') process.exit(0)
  if (message.data === 'exit') process.exit(5)
  if (message.data !== undefined) post({ connection: message.connection, data: message.data === 'PING' ? 'PONG' : message.data })
})
post({ kind: 'ready', version: process.argv.at(-1), pid: process.pid, dataDir: '/data' })
