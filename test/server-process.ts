// A scripted model server in a process of its own, so that it can be killed (test/away-over-ssh.test.ts).
import { startTestServer } from '../src/main/driver/run/test-server.ts'

const [port = '0', apiKey] = process.argv.slice(2)
const server = await startTestServer({ apiKey, gapMs: 5 }, Number(port))
process.stdout.write(`${server.baseUrl}\n`)
