// An engine in a process of its own that sweeps through a tunnel of a real sshd until it is killed (test/away-over-ssh.test.ts).
import { sshConnector, sshHost } from './real-ssh.ts'
import { createLab, hostRequest } from './sweep-lab.ts'

const { home, dataDir, sshd, port, driverPath, plan } = JSON.parse(process.argv[2] ?? '{}')
const ssh = sshConnector(home)
const link = await ssh.connect(sshHost(sshd))
const lab = await createLab({ link, homeDir: home, dataDir, port, driverPath, known: {} })
const handle = await lab.sweeps.start(hostRequest({ ...plan, driver: 'tunnel' }))
process.stdout.write(`run ${handle.runId}\n`)
handle.onLine((line) => process.stdout.write(`${line.kind}\n`))
await handle.finished
await lab.dispose()
await ssh.dispose()
