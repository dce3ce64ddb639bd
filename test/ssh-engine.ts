// An engine in a process of its own that starts a sweep and watches it until it is killed (test/resume-over-ssh.test.ts). It is told by
// lines on its standard input; `interrupt` is what Ctrl-C does, and `leave` what a second one does.
import { createInterface } from 'node:readline'
import type { SweepRequest } from '../src/main/sweep/types.ts'
import { createSshLab, type SshLabOptions } from './ssh-lab.ts'

const { lab: options, request } = JSON.parse(process.argv[2] ?? '') as { lab: SshLabOptions; request: SweepRequest }
const lab = await createSshLab(options)
const handle = await lab.sweeps.start(request)
handle.onLine((line) => {
  if (line.kind === 'attempt') process.stdout.write(`${handle.runId}\n`)
})
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'interrupt') void handle.control({ kind: 'interrupt' })
  if (line === 'leave') process.exit(130)
}
