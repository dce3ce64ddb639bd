import { SpeedgridError } from '../../shared/model/error.ts'
import { OWN_FOLDER, ownLevels } from '../ssh/index.ts'
import type { HostLink } from '../ssh/types.ts'
import { runFacts } from './remote-script.ts'

export interface BaseFolder {
  /** `~/.cache/speedgrid` (or below $XDG_CACHE_HOME), or a folder of a random name in /tmp; exists, mode 0700, ours all the way up. */
  path: string
  /** Why it isn't in the home folder. */
  note?: string
  home: string
}

interface PlaceOptions {
  mountsPath?: string
  temporaryFolder?: string
}

// Files on these are seen from other hosts, or lock and cache in their own way: not the place for state files and spools.
const SHARED_FILE_SYSTEMS = 'nfs|nfs4|cifs|smb3|smbfs|afs|fuse.sshfs|lustre|gpfs|beegfs|ceph|9p'

const MAKE_BASE = `
set -u
mounts=$1 tmp=$2 shared=$3
${OWN_FOLDER}
first=$cache/speedgrid

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
# Says why where the base can't be used; made where it isn't there.
usable() {
  (
    make_own "$1" || { echo "$why"; exit 1; }
    probe=.probe.$$
    ( : > "$probe" ) 2>/dev/null || { echo "$1 can't be written"; exit 1; }
    rm -f -- "$probe"
  )
}
below_tmp() { own_bases "$tmp" | grep -vxF -- "$first" | head -n 1; }

echo "home $home"
path= note=
type=$(kind "$first")
case "|$shared|" in
  *"|$type|"*) note="the home folder is on a network file system ($type)" ;;
  *) if reason=$(usable "$first"); then path=$first; else note="$first can't be written ($reason)"; fi ;;
esac
if [ -z "$path" ]; then
  path=$(below_tmp)
  if [ -z "$path" ]; then
    # A name that nobody can take first. Of two that are made at once, the first one stays.
    read -r name < /proc/sys/kernel/random/uuid
    made=$tmp/speedgrid-$name
    reason=$(usable "$made") || { echo "failed $note, and $tmp can't be used: $reason"; exit 0; }
    path=$(below_tmp)
    [ "$path" = "$made" ] || ( enter "$made" && rm -f -- "$own_mark" && cd .. && rmdir -- "./speedgrid-$name" ) 2>/dev/null
  else
    reason=$(usable "$path") || { echo "failed $note, and $path can't be used: $reason"; exit 0; }
  fi
  echo "note $note"
fi
echo "path $path"
`

/**
 * The folder for everything of ours on the host: state files of servers, run folders of sweeps. Made where it isn't there.
 * Throws `read_only` where neither the home folder nor /tmp can be used.
 */
export async function resolveBaseFolder(link: HostLink, options: PlaceOptions = {}): Promise<BaseFolder> {
  const args = [options.mountsPath ?? '/proc/self/mounts', options.temporaryFolder ?? '/tmp', SHARED_FILE_SYSTEMS]
  const facts = await runFacts(link, 'finding a folder', MAKE_BASE, args)
  const path = facts.one('path')
  if (path === undefined) {
    throw new SpeedgridError('read_only', `there is no place for our files on ${link.hostName}`, {
      evidence: facts.all('failed'),
      nextStep: 'Make the home folder or /tmp writable for this account alone, or set XDG_CACHE_HOME to a folder that is.',
    })
  }
  const note = facts.one('note')
  return { path, home: facts.one('home') ?? '', ...(note === undefined ? {} : { note }) }
}

const MAKE = `
set -u
${OWN_FOLDER}
make_own "$@" && exit 0
echo "$why" >&2
exit 1
`

/** Makes a folder BASE/KIND/NAME of ours, and what is missing above it. Throws `disk_full`, `read_only`, `remote`. */
export async function makeOwnFolder(link: HostLink, path: string): Promise<void> {
  const result = await link.script(MAKE, ownLevels(path), { timeoutMs: 60_000 })
  if (result.code !== 0) throw folderFailed(link, `${path} could not be made`, result.stderr)
}

// Removed from inside the folder above it, so that it can't be another one meanwhile. Empty folders above it go too.
const REMOVE = `
set -u
${OWN_FOLDER}
case $2 in servers|runs|node) ;; *) echo "'$1/$2/$3' is no folder of ours" >&2; exit 1 ;; esac
case $3 in ''|.|..|*/*) echo "'$1/$2/$3' is no folder of ours" >&2; exit 1 ;; esac
enter "$1" "$2"; entered=$?
[ $entered = 2 ] && exit 0
[ $entered = 0 ] || { echo "$why" >&2; exit 1; }
if [ -e "./$3" ] || [ -L "./$3" ]; then
  [ ! -L "./$3" ] || { echo "$1/$2/$3 is a link" >&2; exit 1; }
  [ -O "./$3" ] || { echo "$1/$2/$3 is not ours" >&2; exit 1; }
  rm -rf -- "./$3"
  [ ! -e "./$3" ] || exit 1
fi
cd -P .. && rmdir -- "./$2" 2>/dev/null || exit 0
case \${1##*/} in
  speedgrid) ;;
  speedgrid-*) [ "$(ls -A)" = "$own_mark" ] && rm -f -- "./$own_mark" ;;
  *) exit 0 ;;
esac
cd -P .. && rmdir -- "./\${1##*/}" 2>/dev/null
exit 0
`

/**
 * Removes a folder BASE/KIND/NAME of ours, and the ones above it that hold nothing any more. Links are never followed; what isn't ours is
 * never touched. Nothing there is no error. Throws `read_only`, `remote` with the reason.
 */
export async function removeOwnFolder(link: HostLink, path: string): Promise<void> {
  const result = await link.script(REMOVE, ownLevels(path), { timeoutMs: 60_000 })
  if (result.code !== 0) throw folderFailed(link, `${path} could not be removed`, result.stderr)
}

const CHECK = `
set -u
${OWN_FOLDER}
enter "$@"; entered=$?
[ $entered = 1 ] && echo "$why"
exit $entered
`

/** Whether a folder BASE/KIND/NAME is there and ours; false where nothing is there. Throws `conflict` where it is somebody else's. */
export async function isOwnFolder(link: HostLink, path: string): Promise<boolean> {
  const result = await link.script(CHECK, ownLevels(path), { timeoutMs: 30_000 })
  if (result.code === 0) return true
  if (result.code === 2) return false
  throw new SpeedgridError(
    'conflict',
    `${path} on ${link.hostName} is not a folder of this account alone: nothing in it is used`,
    {
      evidence: `${result.stdout}\n${result.stderr}`.split('\n').filter((line) => line.trim() !== ''),
      nextStep: 'See on the host who made it, and take it away.',
    },
  )
}

function folderFailed(link: HostLink, what: string, stderr: string): SpeedgridError {
  const code = /no space left|quota exceeded/i.test(stderr)
    ? 'disk_full'
    : /read-only file system|permission denied/i.test(stderr)
      ? 'read_only'
      : 'remote'
  const evidence = stderr.split('\n').filter((line) => line.trim() !== '')
  return new SpeedgridError(code, `${what} on ${link.hostName}`, {
    evidence: evidence.slice(0, 5),
    nextStep: 'Look at the folder, its owner and the free space on the host.',
  })
}
