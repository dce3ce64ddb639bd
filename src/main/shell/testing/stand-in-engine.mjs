// Speaks the protocol of the engine's process (src/main/engine/README.md) and does what its words say; for tests of the shell's side.
const words = process.argv.slice(2)
const post = (message) => process.send?.(message)

if (words.includes('--refuse')) {
  post({ kind: 'failed', error: { code: 'disk_full', cause: 'The disk is full.', evidence: [], nextStep: 'Make room.' } })
  setTimeout(() => process.exit(1), 20)
} else if (words.includes('--die')) {
  process.stderr.write('something is broken\n', () => process.exit(3))
} else {
  post({ kind: 'ready', version: '0', pid: process.pid, dataDir: process.env.NODE_OPTIONS ?? '/data' })
}

process.on('message', (message) => {
  if (message.kind === 'shutdown') process.exit(0)
  if (message.data === undefined) return
  if (message.data === 'exit') process.exit(5)
  if (message.data === 'hang') for (;;);
  if (message.data === 'nonsense') post({ kind: 'nonsense' })
  post({ connection: message.connection, data: message.data === 'PING' ? 'PONG' : `${message.data} ${String(process.pid)}` })
})
process.on('disconnect', () => process.exit(0))
