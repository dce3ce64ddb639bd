import type { Host, Inventory } from '../../shared/model/host.ts'
import type { HostLink } from '../ssh/types.ts'

export const DOCTOR_CHECKS = [
  'dns',
  'tcp',
  'host_key',
  'authentication',
  'shell',
  'python',
  'vllm',
  'gpus',
  'disk',
  'node',
  'session', // KillUserProcesses, NFS home: what can end a detached process or confuse its state file
  'clock',
] as const

/** One check of the doctor: what was looked at, what was seen, and the remedy where it failed. */
export interface DoctorCheck {
  check: (typeof DOCTOR_CHECKS)[number]
  outcome: 'pass' | 'fail' | 'skipped'
  evidence: string
  remedy?: string
}

export interface HostsService {
  list(): Host[]
  /** Throws unknown_host, naming near matches. */
  get(name: string): Host
  /** `[user@]address[:port]`; an alias of ~/.ssh/config is kept as it is and looked up at connect. Throws conflict when the name exists. */
  add(name: string, target: string, options?: { identityFile?: string; demo?: boolean }): Host
  remove(name: string): void
  /** Reads the host's key without authenticating. `state` says how it stands to the known keys. */
  readHostKey(name: string): Promise<{
    hop: string
    keyType: string
    fingerprint: string
    state: 'known' | 'unknown' | 'changed' | 'revoked'
    knownFingerprints: string[]
  }>
  /** Records the host's key in our own known_hosts (never in the person's). A changed key must be confirmed by its new fingerprint. */
  trust(name: string, fingerprint: string): Promise<void>
  /** The control connection: opened on first use, shared and kept. */
  connect(name: string): Promise<HostLink>
  /** `vllm`: paths of executables to look at first, beside PATH and the usual places. */
  doctor(name: string, onCheck?: (check: DoctorCheck) => void, options?: { vllm?: readonly string[] }): Promise<DoctorCheck[]>
  inventory(name: string, options?: { vllm?: readonly string[] }): Promise<Inventory>
  dispose(): Promise<void>
}
