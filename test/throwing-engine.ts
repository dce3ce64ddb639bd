// An engine in a process of its own, with two hosts and a sweep beside it, in which something is thrown where nobody catches it:
// first in a callback of one host's connection, then, when told to on standard input, somewhere else (test/bugs-over-ssh.test.ts).
import { endOnBug } from '../src/main/engine/log/index.ts'
import { createSshConnector, endConnectionOf } from '../src/main/ssh/index.ts'
import { createLab, hostRequest } from './sweep-lab.ts'

const [homeDir = '', dataDir = '', user = '', keyPath = '', ...ports] = process.argv.slice(2)
const say = (word: string) => process.stdout.write(`${word}\n`)
const ssh = createSshConnector({
  homeDir,
  ownKnownHostsPath: `${dataDir}/known_hosts`,
  systemConfigPath: `${homeDir}/none`,
  prompter: { secret: () => Promise.resolve(undefined), trustHostKey: () => Promise.resolve(true) },
  env: {},
})
const lab = await createLab({ homeDir, dataDir })
endOnBug(dataDir, 'test', { contain: endConnectionOf, settle: () => lab.sweeps.dispose(), limitMs: 30_000 })

const links = await Promise.all(
  ports.map((port, index) =>
    ssh.connect({
      name: `host-${String(index)}`,
      address: '127.0.0.1',
      user,
      port: Number(port),
      identityFile: keyPath,
      demo: false,
      addedAt: '2026-01-01T00:00:00.000Z',
    }),
  ),
)
const handle = await lab.sweeps.start(hostRequest({ settleSeconds: 0.3, driver: 'tunnel' }))
handle.onLine((line) => {
  if (line.kind === 'attempt') say(`run ${handle.runId}`)
})
for (const [index, link] of links.entries()) link.onStateChange(({ state }) => say(`host-${String(index)} ${state}`))
await links[0]?.stream(['sh', '-c', 'echo now; sleep 60'], () => {
  setImmediate(() => {
    throw new TypeError('thrown in a callback of a connection')
  })
})
process.stdin.once('data', () => {
  void Promise.all(links.map((link) => link.exec(['true']))).then(() => {
    say('both work')
    setTimeout(() => {
      throw new TypeError('thrown anywhere')
    })
  })
})
await handle.finished
