import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { SpeedgridError } from '../../shared/model/error.ts'
import { makeOwnFolder } from '../servers/index.ts'
import { OWN_FOLDER, ownLevels } from '../ssh/index.ts'
import type { HostLink } from '../ssh/types.ts'

export type NodeBinaries = { x64?: string; arm64?: string }

/** The Node of ours that would run on this machine; undefined where we have none for it. */
export function pickBinary(
  binaries: NodeBinaries | undefined,
  arch: string | undefined,
): { path: string; arch: 'x64' | 'arm64' } | undefined {
  const ours = arch === 'x86_64' || arch === 'amd64' ? 'x64' : arch === 'aarch64' || arch === 'arm64' ? 'arm64' : undefined
  const path = ours === undefined ? undefined : binaries?.[ours]
  return ours === undefined || path === undefined || !existsSync(path) ? undefined : { path, arch: ours }
}

/** Where it lies (or would lie) on the host: `BASE/node/VERSION-ARCH/node`. */
export function remoteNodePath(base: string, binary: { path: string; arch: string }, sha256: string): string {
  return `${base}/node/${readVersion(binary.path) ?? sha256.slice(0, 12)}-${binary.arch}/node`
}

/** The npm package says which version it carries. */
function readVersion(path: string): string | undefined {
  try {
    const text = readFileSync(join(dirname(dirname(path)), 'package.json'), 'utf8')
    const found: unknown = JSON.parse(text)
    if (typeof found !== 'object' || found === null || !('version' in found) || typeof found.version !== 'string')
      return undefined
    return /^\d+\.\d+\.\d+/.exec(found.version)?.[0]
  } catch {
    return undefined
  }
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

const CHECK = `
set -u
${OWN_FOLDER}
enter "$1" "$2" "$3" && [ -f node ] && [ ! -L node ] && [ -O node ] || { echo missing; exit 0; }
sum=$(sha256sum node 2>/dev/null) || { echo missing; exit 0; }
[ "\${sum%% *}" = "$4" ] || { echo missing; exit 0; }
echo "works $(./node --version 2>&1 | head -n 1)"
`

/** The version a Node of ours on the host answers with; undefined where it isn't there whole, or where others could have put it. */
export async function findBroughtNode(link: HostLink, path: string, sha256: string): Promise<string | undefined> {
  const result = await link.script(CHECK, [...ownLevels(dirname(path)), sha256], { timeoutMs: 60_000 })
  return /^works (v\d+\.\d+\.\d+)/m.exec(result.stdout)?.[1]
}

const UNPACK = `
set -u
umask 077
${OWN_FOLDER}
enter "$1" "$2" "$3" || { echo "$why" >&2; exit 9; }
gzip -dc node.gz > node.new && rm -f node.gz || { rm -f node.gz node.new; exit 8; }
sum=$(sha256sum node.new) || { rm -f node.new; exit 8; }
[ "\${sum%% *}" = "$4" ] || { rm -f node.new; echo "sha256 differs: \${sum%% *}" >&2; exit 8; }
chmod 700 node.new
./node.new --version >/dev/null || { rm -f node.new; exit 7; }
mv -f node.new node
`

const TIDY = `
${OWN_FOLDER}
enter "$1" "$2" "$3" && rm -f node.gz node.new && cd -P .. && rmdir -- "./$3" && cd -P .. && rmdir -- "./$2"
exit 0
`

/**
 * Sends our Node to the host, once: packed over SFTP (45 MB), checked there by sha256 and by starting it. Asking the person is the caller's.
 * Throws `no_node` where it doesn't run there (glibc below 2.28), `disk_full`, `read_only`, `remote`; nothing of it stays then.
 */
export async function bringNode(
  link: HostLink,
  options: { localPath: string; remotePath: string; sha256: string },
): Promise<void> {
  const folder = dirname(options.remotePath)
  await makeOwnFolder(link, folder)
  const temporary = await mkdtemp(join(tmpdir(), 'speedgrid-node-'))
  try {
    const packed = join(temporary, `${basename(options.localPath)}.gz`)
    await pipeline(createReadStream(options.localPath), createGzip({ level: 6 }), createWriteStream(packed))
    await link.files.send(packed, `${folder}/node.gz`, 0o600)
    const result = await link.script(UNPACK, [...ownLevels(folder), options.sha256], { timeoutMs: 120_000 })
    if (result.code === 7) throw doesNotRun(link, result.stderr)
    if (result.code !== 0) throw failed(link, result.stderr)
  } catch (error) {
    await link.script(TIDY, ownLevels(folder), { timeoutMs: 30_000 }).catch(() => undefined)
    throw error
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

function linesOf(stderr: string): string[] {
  return stderr
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, 5)
}

function doesNotRun(link: HostLink, stderr: string): SpeedgridError {
  return new SpeedgridError('no_node', `The Node that was brought does not run on ${link.hostName}`, {
    evidence: linesOf(stderr),
    nextStep: 'Install Node 20 or newer there (ours needs glibc 2.28), or measure through the tunnel with --driver tunnel.',
  })
}

function failed(link: HostLink, stderr: string): SpeedgridError {
  const code = /no space left|quota exceeded/i.test(stderr)
    ? 'disk_full'
    : /read-only|permission denied/i.test(stderr)
      ? 'read_only'
      : 'remote'
  return new SpeedgridError(code, `Node could not be brought to ${link.hostName}`, {
    evidence: linesOf(stderr),
    nextStep: 'Measure through the tunnel with --driver tunnel, or install Node 20 or newer there.',
  })
}
