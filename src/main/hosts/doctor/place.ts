import { bytesText } from '../../../shared/format/index.ts'
import type { Disk, HostReading } from '../inventory/parse.ts'
import type { Section } from '../inventory/sections.ts'
import type { Verdict } from './types.ts'

const GIB = 1024 ** 3
/** Spools, logs and a Node take far less; below this the system itself suffers. */
const LEAST_BYTES = GIB
/** Below this hardly a model fits. */
const MODEL_BYTES = 10 * GIB

const NETWORK_KINDS = /^(nfs|nfs4|cifs|smb|smb2|smbfs|afs|lustre|gpfs|beegfs|ceph|v9fs|fuseblk\.sshfs|fuse\.sshfs)$/i

const isNetworkDisk = (disk: Disk | undefined): boolean => disk?.kind !== undefined && NETWORK_KINDS.test(disk.kind)

/** Room and the right to write for our run folder; room for models. */
export function checkDisk({ disks }: HostReading, session: Section): Verdict {
  const cache = probe(session, 'cache')
  const tmp = probe(session, 'tmp')
  const network = isNetworkDisk(disks.cache)
  const usable = [...(cache.writable && !network ? [disks.cache] : []), ...(tmp.writable ? [disks.tmp] : [])]
  const room = (disk: Disk | undefined) =>
    disk === undefined
      ? 'unknown'
      : `${disk.path}: ${bytesText(disk.freeBytes)} free${disk.kind === undefined ? '' : ` (${disk.kind})`}`
  const said = [
    room(disks.home),
    ...(disks.models === undefined
      ? []
      : [`models in ${room(disks.models)}${isShort(disks.models, MODEL_BYTES) ? ', little for a model' : ''}`]),
  ]
  if (usable.length === 0) {
    return {
      outcome: 'fail',
      evidence: [`run folder: ${cache.why}; ${tmp.why}`, ...said].join('\n'),
      remedy:
        'Make ~/.cache or /tmp writable for this account (full disk? quota? read-only mount?), or set XDG_CACHE_HOME on the host.',
    }
  }
  if (usable.every((disk) => isShort(disk, LEAST_BYTES))) {
    return {
      outcome: 'fail',
      evidence: said.join('\n'),
      remedy: `Free at least ${bytesText(LEAST_BYTES)} where the run folder goes: ${usable[0]?.path ?? 'the home folder'}.`,
    }
  }
  if (!cache.writable) said.push(`${cache.why}: run folders go to ${disks.tmp?.path ?? '/tmp'}`)
  return { outcome: 'pass', evidence: said.join('\n') }
}

const isShort = (disk: Disk | undefined, bytes: number) => disk?.freeBytes !== undefined && disk.freeBytes < bytes

function probe(session: Section, key: string): { writable: boolean; why: string } {
  const said = session.one(key) ?? 'no not tried'
  return { writable: said.startsWith('yes'), why: said.replace(/^(yes|no) /, '') }
}

/** What can end a detached process when the connection goes, or confuse its state file. */
export function checkSession(reading: HostReading, session: Section): Verdict {
  const [kills = 'no', source] = (session.one('kill_user_processes') ?? 'no').split(' ')
  const excluded = (session.one('kill_exclude') ?? '').split(/\s+/)
  const network = isNetworkDisk(reading.disks.home)
  const home = network
    ? `the home folder is on ${reading.disks.home?.kind ?? 'a network'}, which other hosts see too: state files go to ${reading.disks.tmp?.path ?? '/tmp'}`
    : 'the home folder is local'
  if (kills === 'yes' && !(reading.user !== undefined && excluded.includes(reading.user))) {
    return {
      outcome: 'fail',
      evidence: `KillUserProcesses is on (${source ?? 'logind'}): servers and sweeps end when the last SSH connection closes\n${home}`,
      remedy:
        'Set KillUserProcesses=no in /etc/systemd/logind.conf, or add the account to KillExcludeUsers, and restart systemd-logind.',
    }
  }
  const kept =
    kills === 'yes'
      ? `KillUserProcesses is on, but ${reading.user ?? 'the account'} is excluded`
      : 'detached processes outlive the connection'
  return { outcome: 'pass', evidence: `${kept}\n${home}` }
}
