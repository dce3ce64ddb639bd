import type { ProcessIdentity } from '../../shared/model/server.ts'
import { OWN_PROCESS } from '../ssh/index.ts'
import type { HostLink } from '../ssh/types.ts'
import { runFacts } from './remote-script.ts'
import { SERVER_MARKER } from './start-script.ts'

export interface SessionMember {
  pid: number
  startTicks: string
  command: string
}

/** The entry of the environment that a server's processes carry. */
export function markOf(id: string | undefined): string {
  return id === undefined ? '' : `${SERVER_MARKER}=${id}`
}

/**
 * Shell: calls `each_member PID KIND` for what lives of $session (KIND: member, or stranger where neither its own mark nor a living leader
 * proves it), with OWN_PROCESS' variables set. Wants $session $ticks $leader $marker.
 */
export const EACH_MEMBER = `
each_of_session() {
  # awk only narrows it down, in one pass (sh reads byte by byte); a name made to look like numbers does not get past the second look.
  candidates=$(cat /proc/[0-9]*/stat 2>/dev/null | awk -v session="$session" '/^[0-9]+ \\(/ { pid = $1; sub(/^.*\\) /, ""); if ($4 == session) print pid }')
  for member in $candidates; do
    stat_of "$member" && [ "$p_session" = "$session" ] || continue
    case $p_state in Z|X) continue ;; esac
    [ -O "/proc/$member" ] || continue
    [ "$p_ticks" -ge "$ticks" ] || continue
    if [ "$leader" = alive ] || [ -z "$marker" ]; then each_member "$member" member; continue; fi
    look_at_mark "$member" "$marker"
    # One that is ending holds its port and its GPU for a moment more: it is waited for, and gets no signal.
    case $mark in yes|ending) each_member "$member" member ;; no) each_member "$member" stranger ;; esac
  done
}
`

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
 * Which processes are ours: host name, boot id, session and start time all match the state file, and the leader carries our mark in its
 * environment (a state file alone proves nothing about a process). While such a leader lives, Linux gives its number to nobody else: all of
 * its session is ours. When it is gone, a later session of the same number can't be ruled out by numbers, so each member must carry the mark.
 */
const VIEW = `
set -u
${OWN_PROCESS}
pid=$1 session=$2 ticks=$3 boot=$4 host=$5 marker=$6 scope=$7
away=$(elsewhere "$host" "$boot")
[ -z "$away" ] || { echo "state $away"; exit 0; }

leader=gone
if stat_of "$pid"; then
  [ "$p_ticks" = "$ticks" ] && [ "$p_session" = "$session" ] || { echo "state gone process $pid is another one now"; exit 0; }
  leader=alive
  case $p_state in Z|X) leader=zombie; echo "exit $p_exit" ;; esac
fi
if [ $leader = alive ] && [ -n "$marker" ]; then
  look_at_mark "$pid" "$marker"
  [ "$pid" = "$session" ] || mark=no
  case $mark in
    gone|ending) leader=$mark ;;
    no) echo "state gone process $pid does not carry our mark: it was not started as this server"; exit 0 ;;
  esac
fi
case $leader in
  alive) echo "state ours process $pid is running" ;;
  zombie) echo "state leaderless process $pid has ended" ;;
  ending) echo "state leaderless process $pid is ending" ;;
  gone) echo "state leaderless process $pid is gone" ;;
esac
[ "$scope" = leader ] && exit 0
${EACH_MEMBER}
each_member() {
  command=$(tr '\\000\\n' '  ' < "/proc/$1/cmdline" 2>/dev/null | cut -c 1-100)
  [ -n "$command" ] || { IFS= read -r command < "/proc/$1/comm"; } 2>/dev/null
  printf '%s %s %s %s\\n' "$2" "$1" "$p_ticks" "$command"
}
each_of_session
exit 0
`

/**
 * `id` is the server's whose mark has to be there; undefined for one that somebody else started, which is only looked at. With `leader`,
 * only the leader is looked at, which is quicker; without one the state is then `gone`.
 */
export async function viewSession(
  link: HostLink,
  id: string | undefined,
  identity: ProcessIdentity,
  scope: 'all' | 'leader' = 'all',
): Promise<SessionView> {
  const { pid, session, startTicks, bootId, hostName } = identity
  const args = [String(pid), String(session), startTicks, bootId, hostName, markOf(id), scope]
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
  const [, pid = '0', startTicks = '0', command = ''] = /^(\d{1,20}) (\d{1,20}) ?(.*)$/.exec(text) ?? []
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
${OWN_PROCESS}
signal=$1 session=$2 leader=$3 boot=$4 host=$5 marker=$6
shift 6
[ -z "$(elsewhere "$host" "$boot")" ] || exit 0
for target in "$@"; do
  # All of a session whose leader is marked is ours; without that leader, each by its own mark.
  is_running "$session" "$session" "$leader" && is_marked "$session" "$marker" || is_marked "\${target%:*}" "$marker" || continue
  is_running "\${target%:*}" "$session" "\${target#*:}" || continue
  kill -s "$signal" "\${target%:*}" 2>/dev/null && echo "sent \${target%:*}"
done
exit 0
`

/** Sends a signal to processes just seen by viewSession; each is looked at again right before, so a reused pid is never hit. */
export async function signalMembers(
  link: HostLink,
  id: string,
  identity: ProcessIdentity,
  signal: 'TERM' | 'KILL',
  members: readonly SessionMember[],
): Promise<SessionMember[]> {
  if (members.length === 0) return []
  const args = [
    signal,
    String(identity.session),
    identity.startTicks,
    identity.bootId,
    identity.hostName,
    markOf(id),
    ...members.map(({ pid, startTicks }) => `${String(pid)}:${startTicks}`),
  ]
  const facts = await runFacts(link, 'sending a signal', SIGNAL, args)
  const sent = new Set(facts.all('sent').map(Number))
  return members.filter(({ pid }) => sent.has(pid))
}
