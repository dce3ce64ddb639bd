// A small Electron app around the shell's utility process: it reports what happened as one line and ends.
import { join } from 'node:path'
import { app } from 'electron'
import { createOwnEngine } from '../../../src/main/shell/engine-link/own-engine.ts'
import { utilityStarter } from '../../../src/main/shell/engine-link/start-utility.ts'

const seen: string[] = []
const until = async (isDone: () => boolean) => {
  for (const startedAt = Date.now(); !isDone(); ) {
    if (Date.now() - startedAt > 20_000) throw new Error(`waited in vain: ${JSON.stringify(seen)}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function run() {
  const engine = createOwnEngine({
    start: utilityStarter({ entry: join(__dirname, 'stand-in.cjs'), args: ['--word'], env: process.env }),
    events: {
      state: (state) => seen.push(state),
      data: (connection, data) => seen.push(`${String(connection)} ${data}`),
      closed: () => {},
      sweeps: () => {},
      ended: () => {},
      failed: (error) => seen.push(`failed ${error.cause}`),
    },
  })
  await until(() => engine.state === 'up')
  engine.open(1)
  engine.send(1, 'hello')
  await until(() => seen.includes('1 hello'))
  engine.send(1, 'exit')
  await until(() => seen.filter((word) => word === 'up').length === 2)
  engine.send(1, 'again')
  await until(() => seen.includes('1 again'))
  await engine.dispose()
}

void app.whenReady().then(async () => {
  await run().catch((error: unknown) => seen.push(String(error)))
  console.log(`SEEN ${JSON.stringify(seen)}`)
  app.exit(0)
})
