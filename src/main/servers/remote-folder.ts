import { SpeedgridError } from '../../shared/model/error.ts'
import type { HostLink } from '../ssh/types.ts'
import { runFacts } from './remote-script.ts'

export interface BaseFolder {
  /** `~/.cache/speedgrid` (or below $XDG_CACHE_HOME), or `/tmp/speedgrid-UID`; exists, mode 0700, ours. */
  path: string
  /** Why it isn't in the home folder. */
  note?: string
  /** Every place where state files may be: also the one that isn't used now. */
  all: string[]
  home: string
}

// Files on these are seen from other hosts, or lock and cache in their own way: not the place for state files and spools.
const SHARED_FILE_SYSTEMS = 'nfs|nfs4|cifs|smb3|smbfs|afs|fuse.sshfs|lustre|gpfs|beegfs|ceph|9p'

const SCRIPT = `
set -u
umask 077
mounts=$1 tmp=$2 shared=$3
uid=$(id -u)
home=\${HOME:-}
[ -n "$home" ] || home=$(awk -F: -v uid="$uid" '$3 == uid { print $6; exit }' /etc/passwd)
case \${XDG_CACHE_HOME:-} in
  /*) cache=$XDG_CACHE_HOME ;;
  *) cache=$home/.cache ;;
esac
first=$cache/speedgrid
last=$tmp/speedgrid-$uid

# A folder of our own: no link, our uid, nobody else's rights, and writing works.
make() {
  mkdir -p -- "$1" 2>/dev/null || return 1
  facts=$(ls -ldn -- "$1" 2>/dev/null) || return 1
  set -f; set -- "$1" $facts; set +f
  case $2 in d*) ;; *) return 1 ;; esac
  [ "$4" = "$uid" ] || return 1
  chmod 700 -- "$1" 2>/dev/null || return 1
  probe=$1/.probe.$$
  ( : > "$probe" ) 2>/dev/null || return 1
  rm -f -- "$probe"
}

# The file system that holds a folder (or the nearest existing one above it): the longest mount point, the last of equals.
kind() {
  place=$1
  while [ ! -d "$place" ] && [ "$place" != / ] && [ -n "$place" ]; do place=\${place%/*}; done
  place=$(cd -- "\${place:-/}" 2>/dev/null && pwd -P) || return 0
  PLACE=$place awk '{
    m = $2; gsub(/\\\\040/, " ", m)
    if (m == "/" || m == ENVIRON["PLACE"] || index(ENVIRON["PLACE"], m "/") == 1)
      if (length(m) >= best) { best = length(m); type = $3 }
  } END { print type }' "$mounts" 2>/dev/null
}

echo "home $home"
echo "place $first"
echo "place $last"
type=$(kind "$first")
case "|$shared|" in
  *"|$type|"*) note="the home folder is on a network file system ($type)" ;;
  *) if make "$first"; then echo "path $first"; exit 0; fi
     note="$first can't be written" ;;
esac
if make "$last"; then echo "path $last"; echo "note $note"; exit 0; fi
echo "failed $note, and $last is not a writable folder of ours"
`

/**
 * The folder for everything of ours on the host: state files of servers, run folders of sweeps. Made where it isn't there.
 * Throws `read_only` where neither the home folder nor /tmp can be used.
 */
export async function resolveBaseFolder(
  link: HostLink,
  options: { mountsPath?: string; temporaryFolder?: string } = {},
): Promise<BaseFolder> {
  const args = [options.mountsPath ?? '/proc/self/mounts', options.temporaryFolder ?? '/tmp', SHARED_FILE_SYSTEMS]
  const facts = await runFacts(link, 'finding a folder', SCRIPT, args)
  const path = facts.one('path')
  if (path === undefined) {
    throw new SpeedgridError('read_only', `there is no place for our files on ${link.hostName}`, {
      evidence: facts.all('failed'),
      nextStep: 'Make the home folder or /tmp writable for this account, or set XDG_CACHE_HOME to a folder that is.',
    })
  }
  const note = facts.one('note')
  return { path, home: facts.one('home') ?? '', all: facts.all('place'), ...(note === undefined ? {} : { note }) }
}
