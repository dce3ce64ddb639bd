import { SpeedgridError } from '../../shared/model/error.ts'
import { type ListeningSocket, reachedBy } from '../../shared/model/listening-socket.ts'
import type { Server } from '../../shared/model/server.ts'
import { OWN_PROCESS } from '../ssh/index.ts'
import type { HostLink } from '../ssh/types.ts'
import { runFacts } from './remote-script.ts'
import { EACH_MEMBER, markOf } from './session.ts'

// Sockets of the port, who of them is held by the server's session, and for the rest of our own account's who holds them.
const SCRIPT = `
set -u
${OWN_PROCESS}
hex=$(printf '%04X' "$1")
pid=$2 session=$3 ticks=$4 boot=$5 host=$6 marker=$7
echo "me $(id -u)"
sockets=$(cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk -v port="$hex" '$4 == "0A" { n = split($2, a, ":"); if (a[n] == port) print a[1], $8, $10 }')
[ -n "$sockets" ] || exit 0
printf '%s\\n' "$sockets" | while read -r address uid inode; do
  echo "socket $address $uid $inode $(id -un "$uid" 2>/dev/null)"
done
[ -n "$pid" ] && [ -z "$(elsewhere "$host" "$boot")" ] || exit 0
leader=gone
if is_running "$pid" "$session" "$ticks"; then
  if [ -z "$marker" ]; then leader=alive
  elif [ "$pid" = "$session" ] && is_marked "$pid" "$marker"; then leader=alive; fi
fi
${EACH_MEMBER}
each_member() {
  [ "$2" = member ] || return 0
  ls -l "/proc/$1/fd" 2>/dev/null | sed -n 's/^.*-> socket:[[]\\([0-9]*\\)[]]$/held \\1/p'
}
each_of_session
exit 0
`

export interface ListenerView {
  /** `ours`: everything that a connection to the server's address could reach is held by the server. `none`: nothing listens. */
  state: 'ours' | 'other' | 'none'
  /** Who listens in place of the server: "uid 1002 (bob)". */
  who?: string
  uid?: number
  /** Its name, where the host knows one. */
  name?: string
}

/** Whose socket a connection to the server would reach now. For an adopted one: whether it is the account's that it was adopted from. */
export async function viewListener(
  link: HostLink,
  server: Pick<Server, 'id' | 'port' | 'address' | 'adopted' | 'identity' | 'listenerUid'>,
): Promise<ListenerView> {
  const { identity, adopted } = server
  const process =
    identity === undefined
      ? ['', '', '0', '', '']
      : [String(identity.pid), String(identity.session), identity.startTicks, identity.bootId, identity.hostName]
  const args = [String(server.port), ...process, markOf(adopted ? undefined : server.id)]
  const facts = await runFacts(link, 'looking at who listens', SCRIPT, args)
  const me = Number(facts.one('me'))
  const names = new Map<number, string>()
  const sockets = facts.all('socket').map((text): ListeningSocket => {
    const [address = '', uid = '', inode = '', name = ''] = text.split(' ')
    if (name !== '') names.set(Number(uid), name)
    return { address, uid: Number(uid), inode }
  })
  const held = new Set(facts.all('held'))
  const reached = reachedBy(sockets, server.address ?? '127.0.0.1')
  const [first] = reached
  if (first === undefined) return { state: 'none' }
  const isTheirs = ({ uid, inode }: ListeningSocket) =>
    // Whoever is root may read the key anyway: a container's port is often root's (docker-proxy).
    identity === undefined ? uid === (server.listenerUid ?? me) || uid === 0 : held.has(inode)
  const stranger = reached.find((socket) => !isTheirs(socket))
  if (stranger === undefined) return { state: 'ours', uid: first.uid }
  const name = names.get(stranger.uid)
  const account = `uid ${String(stranger.uid)}${name === undefined ? '' : ` (${name})`}`
  const who = stranger.uid === me ? 'another process of this account' : account
  return { state: 'other', who, uid: stranger.uid, ...(name === undefined ? {} : { name }) }
}

/**
 * Must be asked before each use of a server's key. Throws `conflict`, naming who listens, where that isn't the server; `server_gone` where
 * nothing listens.
 */
export async function confirmListener(link: HostLink, server: Server): Promise<void> {
  const view = await viewListener(link, server)
  if (view.state === 'ours') return
  const port = `port ${String(server.port)} of ${link.hostName}`
  if (view.state === 'none') {
    // A container's port may be forwarded by the kernel alone: then there was nothing to be seen when it was adopted either.
    if (server.adopted && server.identity === undefined && server.listenerUid === undefined) return
    throw new SpeedgridError('server_gone', `nothing listens on ${port}, where ${server.id} should`, {
      nextStep: `See what runs there: speedgrid servers ${link.hostName}`,
    })
  }
  throw new SpeedgridError('conflict', `${port} is listened on by ${view.who ?? 'somebody else'}, not by ${server.id}`, {
    evidence: ['its key was not sent'],
    nextStep: server.adopted
      ? 'Adopt it again, if it is the server you mean.'
      : 'Stop the server, and start it again on another port.',
  })
}
