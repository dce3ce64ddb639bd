// A tunnel in a process of its own that may open few files (src/main/ssh/tunnel.test.ts).
import { sshConnector, sshHost } from './real-ssh.ts'

const { home, sshd, port } = JSON.parse(process.argv[2] ?? '{}')
const link = await sshConnector(home).connect(sshHost(sshd))
const tunnel = await link.tunnel(port)
tunnel.onFull((reason) => process.stdout.write(`full ${reason}\n`))
process.stdout.write(`socket ${tunnel.socketPath}\n`)
