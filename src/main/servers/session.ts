import type { ProcessIdentity } from '../../shared/model/server.ts'
import type { HostLink } from '../ssh/types.ts'
import { runFacts } from './remote-script.ts'
import { SERVER_MARKER } from './start-script.ts'

export interface SessionMember {
  pid: number
  startTicks: string
  command: string
}

/** A server's session as it is now. Zombies count as gone: they hold nothing. */
export interface SessionView {
  /**
   * `ours`: the leader lives. `leaderless`: it is gone, members are left. `gone`: nothing of ours is there.
   * `other_host`: the state file belongs to another machine (a home folder on NFS): nothing may be concluded or signalled here.
   */
  state: 'ours' | 'leaderless' | 'gone' | 'other_host'
  evidence: string
  members: SessionMember[]
  /** Same session number, but without our marker: never signalled. */
  strangers: SessionMember[]
  /** Wait status of a leader that is a zombie, where it can be seen. */
  exit?: { code?: number; signal?: number }
}

/**
 * Which processes are ours: host name, boot id, session and start time all match the state file. While the leader lives (or anything else
 * of its session), Linux gives its number to nobody else. When the leader is gone, a later session of the same number can't be ruled out by
 * numbers alone, so a member must also carry our marker in its environment.
 */
const VIEW = `
set -u
pid=$1 session=$2 ticks=$3 boot=$4 host=$5 marker=$6 scope=$7
read -r now < /proc/sys/kernel/random/boot_id
[ "$now" = "$boot" ] || { echo "state gone the host was restarted since"; exit 0; }
name=$(uname -n)
[ "$name" = "$host" ] || { echo "state other_host the state file was written on $host, this is $name"; exit 0; }

leader=gone
if { IFS= read -r stat < "/proc/$pid/stat"; } 2>/dev/null; then
  set -f; set -- \${stat##*) }; set +f
  if [ "\${20}" = "$ticks" ] && [ "$4" = "$session" ]; then
    leader=alive
    case $1 in Z|X) leader=zombie; echo "exit \${50-}" ;; esac
  else
    echo "state gone process $pid is another one now"; exit 0
  fi
fi
case $leader in
  alive) echo "state ours process $pid is running" ;;
  zombie) echo "state leaderless process $pid has ended" ;;
  gone) echo "state leaderless process $pid is gone" ;;
esac
[ "$scope" = leader ] && exit 0

# awk only narrows it down, in one pass (sh reads byte by byte); a name made to look like numbers does not get past the second look.
candidates=$(cat /proc/[0-9]*/stat 2>/dev/null | awk -v session="$session" '/^[0-9]+ \\(/ { pid = $1; sub(/^.*\\) /, ""); if ($4 == session) print pid }')
for pid in $candidates; do
  folder=/proc/$pid
  { IFS= read -r stat < "$folder/stat"; } 2>/dev/null || continue
  set -f; set -- \${stat##*) }; set +f
  [ "\${4-}" = "$session" ] || continue
  case $1 in Z|X) continue ;; esac
  [ -O "$folder" ] || continue
  [ "\${20}" -ge "$ticks" ] || continue
  kind=member
  if [ "$leader" = gone ]; then
    tr '\\000' '\\n' < "$folder/environ" 2>/dev/null | grep -qxF -- "$marker" || kind=stranger
  fi
  command=$(tr '\\000\\n' '  ' < "$folder/cmdline" 2>/dev/null | cut -c 1-100)
  [ -n "$command" ] || { IFS= read -r command < "$folder/comm"; } 2>/dev/null
  printf '%s %s %s %s\\n' "$kind" "\${folder#/proc/}" "\${20}" "$command"
done
exit 0
`

/** With `leader`, only the leader is looked at, which is quicker; without one the state is then `gone`. */
export async function viewSession(
  link: HostLink,
  id: string,
  identity: ProcessIdentity,
  scope: 'all' | 'leader' = 'all',
): Promise<SessionView> {
  const { pid, session, startTicks, bootId, hostName } = identity
  const args = [String(pid), String(session), startTicks, bootId, hostName, `${SERVER_MARKER}=${id}`, scope]
  const facts = await runFacts(link, 'looking at processes', VIEW, args)
  const [, state = 'gone', evidence = ''] = /^(\S+) (.*)$/.exec(facts.one('state') ?? '') ?? []
  const members = facts.all('member').map(readMember)
  const strangers = facts.all('stranger').map(readMember)
  const exit = readWaitStatus(facts.one('exit'))
  const base = { evidence, members, strangers, ...(exit === undefined ? {} : { exit }) }
  if (state === 'ours' || state === 'other_host') return { ...base, state }
  return { ...base, state: state === 'leaderless' && members.length > 0 ? 'leaderless' : 'gone' }
}

function readMember(text: string): SessionMember {
  const [, pid = '0', startTicks = '0', command = ''] = /^(\d+) (\d+) ?(.*)$/.exec(text) ?? []
  return { pid: Number(pid), startTicks, command: command.trim() }
}

/** Field 52 of /proc/PID/stat; 0 is what those see who may not look, so it says nothing. */
function readWaitStatus(text: string | undefined): SessionView['exit'] {
  const status = Number(text ?? '0')
  if (!Number.isInteger(status) || status === 0) return undefined
  const signal = status & 0x7f
  return signal === 0 ? { code: (status >> 8) & 0xff } : { signal }
}

const SIGNAL = `
set -u
name=$1 session=$2 boot=$3
shift 3
read -r now < /proc/sys/kernel/random/boot_id
[ "$now" = "$boot" ] || exit 0
for target in "$@"; do
  { IFS= read -r stat < "/proc/\${target%:*}/stat"; } 2>/dev/null || continue
  rest=\${stat##*) }
  fields=0 found= start=
  for field in $rest; do
    fields=$((fields + 1))
    [ $fields = 4 ] && found=$field
    [ $fields = 20 ] && { start=$field; break; }
  done
  [ "$found" = "$session" ] && [ "$start" = "\${target#*:}" ] || continue
  kill -s "$name" "\${target%:*}" 2>/dev/null && echo "sent \${target%:*}"
done
exit 0
`

/** Sends a signal to processes just seen by viewSession; each is looked at again right before, so a reused pid is never hit. */
export async function signalMembers(
  link: HostLink,
  identity: ProcessIdentity,
  signal: 'TERM' | 'KILL',
  members: readonly SessionMember[],
): Promise<SessionMember[]> {
  if (members.length === 0) return []
  const args = [
    signal,
    String(identity.session),
    identity.bootId,
    ...members.map(({ pid, startTicks }) => `${String(pid)}:${startTicks}`),
  ]
  const facts = await runFacts(link, 'sending a signal', SIGNAL, args)
  const sent = new Set(facts.all('sent').map(Number))
  return members.filter(({ pid }) => sent.has(pid))
}
