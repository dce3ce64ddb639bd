import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { type ProcessIdentity, processIdentitySchema } from '../../shared/model/server.ts'
import { SpeedgridError } from '../../shared/model/error.ts'
import { OWN_PROCESS } from '../ssh/index.ts'
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
${OWN_PROCESS}
pid=$1 session=$2 ticks=$3 boot=$4 host=$5 signal=$6
away=$(elsewhere "$host" "$boot")
[ -z "$away" ] || { echo "$away"; exit 0; }
if is_running "$pid" "$session" "$ticks"; then
  [ "$signal" = none ] || kill -s "$signal" "$pid"
  case $p_state in T|t) how=stopped ;; *) how=running ;; esac
  echo "alive process $pid is $how"
elif ! stat_of "$pid"; then echo "gone process $pid is gone"
elif [ "$p_ticks" = "$ticks" ]; then echo "gone process $pid has ended"
else echo "gone process $pid is another one now"
fi
exit 0
`

/**
 * Host name, boot, session and start time must all match (ARCHITECTURE.md). A signal is sent only to the very process. Throws `conflict` where
 * the driver was started on another machine (one home folder for several, or a host's name that means another one now): it can't be seen
 * from here, so nothing may be concluded.
 */
export async function checkRemote(
  link: HostLink,
  identity: ProcessIdentity,
  signal: 'none' | 'TERM' | 'KILL' = 'none',
): Promise<Liveness> {
  const { pid, session, startTicks, bootId, hostName } = identity
  const result = await link.script(CHECK, [String(pid), String(session), startTicks, bootId, hostName, signal], {
    timeoutMs: 30_000,
  })
  const [, state, evidence] = /^(alive|gone|other_host) (.*)$/m.exec(result.stdout) ?? []
  if (result.code !== 0 || state === undefined) {
    throw new SpeedgridError('remote', `Looking for the driver failed on ${link.hostName}`, {
      evidence: [result.stderr.slice(0, 300)],
    })
  }
  if (state === 'other_host') {
    throw new SpeedgridError('conflict', 'The driver of this run was started on another machine', {
      evidence: [evidence ?? ''],
      nextStep: 'Go on with the run through the host it was started on.',
    })
  }
  return { alive: state === 'alive', evidence: evidence ?? '' }
}

/** As checkRemote, for a driver beside an engine on this machine. It ends with its engine: one of another machine is none of ours to end. */
export function checkLocal(identity: ProcessIdentity): Liveness {
  const here = hostname()
  const restarted = readBootId() !== identity.bootId
  // A laptop's name may change with its network: the boot says that it is this machine all the same.
  if (identity.hostName !== here && (restarted || identity.bootId === '')) {
    return { alive: false, evidence: `it was started on ${identity.hostName}, this is ${here}` }
  }
  const alive = !restarted && isProcessAlive(identity.pid, process.platform === 'linux' ? identity.startTicks : '')
  return { alive, evidence: `process ${String(identity.pid)} is ${alive ? 'running' : 'gone'}` }
}

function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}
