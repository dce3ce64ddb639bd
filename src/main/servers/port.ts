import type { HostLink } from '../ssh/types.ts'
import { runFacts } from './remote-script.ts'

interface Listener {
  uid: number
  /** Local address as /proc/net/tcp writes it (hexadecimal). */
  address: string
  /** Processes that hold the socket, as far as this account may see. */
  pids: number[]
}

const SCRIPT = `
set -u
hex=$(printf '%04X' "$1")
cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk -v port="$hex" '$4 == "0A" { n = split($2, a, ":"); if (a[n] == port) print a[1], $8, $10 }' |
while read -r address uid inode; do
  pids=$(ls -l /proc/[0-9]*/fd 2>/dev/null | awk -v s="socket:[$inode]" '/^\\/proc/ { split($1, p, "/") } $NF == s { print p[3] }' | sort -nu | tr '\\n' ' ')
  echo "listener $address $uid $pids"
done
exit 0
`

/** Who listens on a TCP port of the host; empty where it is free. */
export async function listenersOf(link: HostLink, port: number): Promise<Listener[]> {
  const facts = await runFacts(link, 'looking at the port', SCRIPT, [String(port)])
  return facts.all('listener').map((text) => {
    const [address = '', uid = '0', ...pids] = text.split(' ').filter((part) => part !== '')
    return { address, uid: Number(uid), pids: pids.map(Number) }
  })
}
