import { dirname } from 'node:path'
import { SpeedgridError } from '../../shared/model/error.ts'
import type { Job } from '../../shared/model/job.ts'
import { OWN_FOLDER, ownLevels } from '../ssh/index.ts'
import { createRedactor } from '../../shared/secrets/index.ts'
import type { HostLink } from '../ssh/types.ts'
import { sha256Of } from './bring-node.ts'
import { type FolderOwner, writeOwner } from './folder-owner.ts'
import type { RunFolder } from './run-folder.ts'
import { attachHostDriver, type RunningDriver } from './running-driver.ts'

// Its own session, so that neither the end of this connection nor of ours touches it. A plain `cmd &` gets an empty standard input: the
// secret needs the detour over descriptor 3 (ARCHITECTURE.md, "Secrets"). Node's old versions know no fractions in `sleep`, nor do old shells.
// What is ours is started from inside its folder, and only where it is the very file that was sent.
const START = `
set -u
umask 077
${OWN_FOLDER}
refuse() { echo "$1" >&2; exit 9; }
# Start time: tells a process from a later one of the same number.
ticks_of() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20; }
is_sent() { sum=$(sha256sum "$1" 2>/dev/null) && [ "\${sum%% *}" = "$2" ]; }
node=$5
if [ -n "$6" ]; then
  enter "$7" "$8" "$9" || refuse "$why"
  is_sent node "$6" || refuse "$node is not the one that was brought"
  node=$(pwd -P)/node
fi
enter "$1" "$2" "$3" || refuse "$why"
is_sent driver.mjs "$4" || refuse "driver.mjs is not the one that was sent"
exec 3<&0
setsid "$node" driver.mjs "$(pwd -P)" <&3 3<&- >driver.log 2>&1 &
pid=$!
exec 3<&- </dev/null
started=$(ticks_of "$pid")
tries=0
while [ "$tries" -lt 150 ]; do
  [ -s driver.json ] && [ -s spool.jsonl ] && exit 0
  case $(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null) in ''|Z*) break ;; esac
  sleep 0.2 2>/dev/null || sleep 1
  tries=$((tries + 1))
done
[ -s driver.json ] && [ -s spool.jsonl ] && exit 0
[ -n "$started" ] && [ "$(ticks_of "$pid")" = "$started" ] && kill "$pid" 2>/dev/null
tail -n 10 driver.log >&2
exit 8
`

interface HostStart {
  connect: () => Promise<HostLink>
  folder: RunFolder
  node: string
  /** Of a Node of ours. */
  nodeSha256?: string
  driverPath: string
  job: Job
  owner: FolderOwner
  apiKey?: string
}

/**
 * Sends driver and job into the run folder and starts the driver there, detached. The API key goes over standard input and nowhere else.
 * Throws what is in the way (`disk_full`, `read_only`, `remote` with the driver's own words); then the folder is gone again.
 */
export async function startOnHost(start: HostStart): Promise<RunningDriver> {
  const { connect, folder, job, apiKey } = start
  const driver = attachHostDriver(folder, connect)
  try {
    await folder.make()
    await writeOwner(folder, start.owner)
    await folder.send(start.driverPath, 'driver.mjs')
    await folder.write('job.json', JSON.stringify(job))
    const link = await connect()
    const secret = `${JSON.stringify({ kind: 'secret', ...(apiKey === undefined ? {} : { apiKey }) })}\n`
    const nodeLevels = start.nodeSha256 === undefined ? [] : [start.nodeSha256, ...ownLevels(dirname(start.node))]
    const words = [...ownLevels(folder.path), await sha256Of(start.driverPath), start.node, ...nodeLevels]
    // Absent ones are empty: the script wants nine.
    while (words.length < 9) words.push('')
    const result = await link.exec(['sh', '-c', START, 'speedgrid-driver', ...words], {
      stdin: secret,
      timeoutMs: 90_000,
    })
    if (result.code !== 0) throw startFailed(link.hostName, result.stderr, apiKey)
  } catch (error) {
    // It may have started after all, where only the answer was lost.
    await driver.terminate('KILL').catch(() => undefined)
    await folder.remove().catch(() => undefined)
    throw error
  }
  return driver
}

function startFailed(hostName: string, stderr: string, apiKey: string | undefined): SpeedgridError {
  const clean = createRedactor(apiKey === undefined ? [] : [apiKey]).text(stderr)
  const evidence = clean.split('\n').filter((line) => line.trim() !== '')
  const full = /ENOSPC|no space left/i.test(clean)
  return new SpeedgridError(full ? 'disk_full' : 'remote', `The driver did not start on ${hostName}`, {
    evidence: evidence.slice(-10).map((line) => line.slice(0, 500)),
    nextStep: full
      ? 'Free space on the host.'
      : 'Run `speedgrid doctor` for the host, or measure through the tunnel with --driver tunnel.',
  })
}
