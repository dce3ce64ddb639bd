import { OWN_FOLDER } from '../ssh/index.ts'
import type { HostLink } from '../ssh/types.ts'
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
${OWN_FOLDER}
own_bases "$1" | while IFS= read -r base; do
  for kind in servers runs node; do
    (
      enter "$base" "$kind" || exit 0
      for name in *; do
        [ -d "./$name" ] && [ ! -L "./$name" ] && [ -O "./$name" ] || continue
        size=$(du -sk -- "./$name" 2>/dev/null) || size=0
        echo "kept $kind \${size%%[!0-9]*} $base/$kind/$name"
      done
    )
  done
done
echo done
`

const KINDS = { servers: 'server', runs: 'run', node: 'node' } as const

/** Folders of servers and runs, and the Node that was brought; sizes as they are on the disk there. Makes nothing on the host. */
export async function listKeptFolders(link: HostLink, temporaryFolder = '/tmp'): Promise<KeptFolder[]> {
  const facts = await runFacts(link, 'looking for our files', LIST, [temporaryFolder])
  return facts.all('kept').flatMap((line): KeptFolder[] => {
    const [, kind, kib, path] = /^(servers|runs|node) (\d*) (.+)$/.exec(line) ?? []
    if (kind === undefined || path === undefined) return []
    return [{ path, bytes: Number(kib ?? 0) * 1024, kind: KINDS[kind as keyof typeof KINDS] }]
  })
}
