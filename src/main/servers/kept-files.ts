import { SpeedgridError } from '../../shared/model/error.ts'
import type { HostLink } from '../ssh/types.ts'
import { resolveBaseFolder } from './remote-folder.ts'
import { runFacts } from './remote-script.ts'

/** Something of ours that lies on a host. */
export interface KeptFolder {
  path: string
  bytes: number
  kind: 'server' | 'run' | 'node'
}

// Names of ours have no spaces; the folder they are in may have some.
const LIST = `
set -u
for base in "$@"; do
  for kind in servers runs node; do
    for path in "$base/$kind"/*; do
      [ -d "$path" ] && [ ! -L "$path" ] && [ -O "$path" ] || continue
      size=$(du -sk -- "$path" 2>/dev/null) || size=0
      echo "kept $kind \${size%%[!0-9]*} $path"
    done
  done
done
echo done
`

// The guard is for us: this never removes anything but a folder of ours.
const REMOVE = `
set -u
name=\${1##*/} parent=\${1%/*}
kind=\${parent##*/} base=\${parent%/*}
case $name in ''|.|..) exit 9 ;; esac
case $kind in servers|runs|node) ;; *) exit 9 ;; esac
case \${base##*/} in speedgrid|speedgrid-[0-9]*) ;; *) exit 9 ;; esac
[ -O "$1" ] && [ ! -L "$1" ] || exit 9
rm -rf -- "$1"
rmdir -- "$parent" "$base" 2>/dev/null
[ ! -e "$1" ] && echo removed
`

const KINDS = { servers: 'server', runs: 'run', node: 'node' } as const

/** Folders of servers and runs, and the Node that was brought; sizes as they are on the disk there. */
export async function listKeptFolders(link: HostLink): Promise<KeptFolder[]> {
  const { all } = await resolveBaseFolder(link)
  const facts = await runFacts(link, 'looking for our files', LIST, all)
  return facts.all('kept').flatMap((line): KeptFolder[] => {
    const [, kind, kib, path] = /^(servers|runs|node) (\d*) (.+)$/.exec(line) ?? []
    if (kind === undefined || path === undefined) return []
    return [{ path, bytes: Number(kib ?? 0) * 1024, kind: KINDS[kind as keyof typeof KINDS] }]
  })
}

/** Removes a folder that `listKeptFolders` has named; whether it is in use is for the caller to find out. Throws `remote`. */
export async function removeKeptFolder(link: HostLink, folder: KeptFolder): Promise<void> {
  const result = await link.script(REMOVE, [folder.path], { timeoutMs: 60_000 })
  if (result.code === 0 && result.stdout.includes('removed')) return
  throw new SpeedgridError('remote', `${folder.path} could not be removed from ${link.hostName}.`, {
    evidence: result.stderr
      .split('\n')
      .filter((line) => line.trim() !== '')
      .slice(0, 5),
    nextStep: 'Look at the folder and its owner on the host.',
  })
}

/** Takes away the folders above a removed one that hold nothing any more, so that a host is left as it was found. Never throws. */
export async function removeEmptyBase(link: HostLink, removed: string): Promise<void> {
  const script =
    'kind=${1%/*}; case ${kind%/*} in */speedgrid|*/speedgrid-[0-9]*) rmdir -- "$kind" "${kind%/*}" ;; esac 2>/dev/null; exit 0'
  await link.script(script, [removed], { timeoutMs: 30_000 }).catch(() => undefined)
}
