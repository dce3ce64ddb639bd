// An engine in a process of its own that starts a sweep and watches it until it is killed (src/main/sweep/resume-run.test.ts).
import { createLab, hostRequest } from './sweep-lab.ts'

const [homeDir = '', dataDir = '', driver = 'host'] = process.argv.slice(2)
const lab = await createLab({ homeDir, dataDir })
const plan = { settleSeconds: 0.3, driver: driver === 'tunnel' ? ('tunnel' as const) : ('host' as const) }
const handle = await lab.sweeps.start(hostRequest(plan))
handle.onLine((line) => {
  if (line.kind === 'attempt') process.stdout.write(`${handle.runId}\n`)
})
await handle.finished
