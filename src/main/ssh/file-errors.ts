import { SpeedgridError } from '../../shared/model/error.ts'
import { SFTP_STATUS, type SftpFailure } from './sftp-session.ts'
import type { HostLink } from './types.ts'

/**
 * Tries to write 4 KiB beside the path and says what the system answered; sftp-server reports a full disk, a quota and a read-only
 * file system alike as “Failure”. Prints: `df` line, then the error text.
 */
const PROBE = `
LC_ALL=C; export LC_ALL
folder=$1
[ -d "$folder" ] || { echo "error: not a folder: $folder"; exit 0; }
df -Pk "$folder" 2>/dev/null | tail -n 1
probe=$folder/.speedgrid-probe.$$
{ dd if=/dev/zero of="$probe" bs=4096 count=1 2>&1 || true; } | sed 's/^/error: /' | grep -v records
rm -f "$probe"
`

export interface FileContext {
  hostName: string
  script: HostLink['script']
  /** What was being done, for the sentence: “write”. */
  verb: string
  path: string
  /** Bytes that had to be written; a disk with less room than that is full for us. */
  bytes?: number
}

/** Reading, or a failure that says enough by itself. */
export function plainFileError(context: FileContext, failure: SftpFailure): SpeedgridError {
  const { hostName, path, verb } = context
  const detail = { evidence: [path, failure.message], from: failure }
  if (failure.status === SFTP_STATUS.noSuchFile) {
    return new SpeedgridError('not_found', `There is no ${path} on ${hostName}.`, detail)
  }
  if (failure.status === SFTP_STATUS.permissionDenied) {
    return new SpeedgridError('remote', `The account on ${hostName} may not ${verb} ${path}.`, {
      ...detail,
      nextStep: 'Check the owner and the permissions there.',
    })
  }
  return new SpeedgridError('remote', `${hostName} could not ${verb} ${path}.`, detail)
}

/** A failed write: asks the host's own shell why. */
export async function writeError(context: FileContext, failure: SftpFailure): Promise<SpeedgridError> {
  let said: string
  try {
    said = (await context.script(PROBE, [folderOf(context.path)], { timeoutMs: 15_000 })).stdout
  } catch {
    return plainFileError(context, failure)
  }
  const { hostName, path } = context
  const evidence = [path, failure.message, ...said.split('\n').filter((line) => line.trim() !== '')]
  switch (causeOf(said, context.bytes ?? 0)) {
    case 'disk_full':
      return new SpeedgridError('disk_full', `There is no room on ${hostName} for ${path}.`, {
        evidence,
        nextStep: 'Free some space there (disk or quota), or point XDG_CACHE_HOME of the account at another disk.',
      })
    case 'read_only':
      return new SpeedgridError('read_only', `The file system of ${path} on ${hostName} is read-only.`, {
        evidence,
        nextStep: 'Point XDG_CACHE_HOME of the account at a writable folder, or have the file system mounted for writing.',
      })
    default:
      return plainFileError(context, failure)
  }
}

/** The true cause in what the probe printed. */
export function causeOf(probe: string, bytesNeeded: number): 'disk_full' | 'read_only' | undefined {
  if (/read-only file system/i.test(probe)) return 'read_only'
  if (/no space left|quota exceeded/i.test(probe)) return 'disk_full'
  const freeKiB = Number(/^\S.*?\s(\d+)\s+(\d+)\s+(-?\d+)\s+\d+%/m.exec(probe)?.[3] ?? Number.NaN)
  if (Number.isFinite(freeKiB) && freeKiB * 1024 < bytesNeeded) return 'disk_full'
  return undefined
}

export function folderOf(path: string): string {
  const slash = path.lastIndexOf('/')
  if (slash < 0) return '.'
  return slash === 0 ? '/' : path.slice(0, slash)
}
