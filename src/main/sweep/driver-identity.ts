import { readFileSync } from 'node:fs'
import { type ProcessIdentity, processIdentitySchema } from '../../shared/model/server.ts'
import { SpeedgridError } from '../../shared/model/error.ts'
import type { HostLink } from '../ssh/types.ts'
import { isProcessAlive } from '../store/index.ts'
import type { RunFolder } from './run-folder.ts'

/** Who the driver says it is (`driver.json`); undefined where it never got that far. */
export async function readIdentity(folder: RunFolder): Promise<ProcessIdentity | undefined> {
  const data = await folder.read('driver.json')
  try {
    return processIdentitySchema.parse(JSON.parse(data.toString('utf8')))
  } catch {
    return undefined
  }
}

export interface Liveness {
  alive: boolean
  evidence: string
}

const CHECK = `
set -u
pid=$1 session=$2 ticks=$3 boot=$4 signal=$5
read -r now < /proc/sys/kernel/random/boot_id
[ "$now" = "$boot" ] || { echo "gone the host was restarted since"; exit 0; }
if { IFS= read -r stat < "/proc/$pid/stat"; } 2>/dev/null; then
  set -f; set -- \${stat##*) }; set +f
  case $1 in Z|X) echo "gone process $pid has ended"; exit 0 ;; esac
  [ "$4" = "$session" ] && [ "\${20}" = "$ticks" ] || { echo "gone process $pid is another one now"; exit 0; }
  [ "$signal" = none ] || kill -s "$signal" "$pid"
  echo "alive process $pid is running"
else
  echo "gone process $pid is gone"
fi
exit 0
`

/** Host, boot, session and start time must all match (architecture.md, Decided). A signal is sent only to the very process. */
export async function checkRemote(
  link: HostLink,
  identity: ProcessIdentity,
  signal: 'none' | 'TERM' | 'KILL' = 'none',
): Promise<Liveness> {
  const { pid, session, startTicks, bootId } = identity
  const result = await link.script(CHECK, [String(pid), String(session), startTicks, bootId, signal], { timeoutMs: 30_000 })
  const [, state, evidence] = /^(alive|gone) (.*)$/m.exec(result.stdout) ?? []
  if (result.code !== 0 || state === undefined) {
    throw new SpeedgridError('remote', `Looking for the driver failed on ${link.hostName}`, {
      evidence: [result.stderr.slice(0, 300)],
    })
  }
  return { alive: state === 'alive', evidence: evidence ?? '' }
}

export function checkLocal(identity: ProcessIdentity): Liveness {
  const alive =
    readBootId() === identity.bootId && isProcessAlive(identity.pid, process.platform === 'linux' ? identity.startTicks : '')
  return { alive, evidence: `process ${String(identity.pid)} is ${alive ? 'running' : 'gone'}` }
}

function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}
