import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { SpeedgridError } from '../../shared/model/error.ts'
import type { Host } from '../../shared/model/host.ts'
import { configAliases, type ConfigSource } from './config.ts'
import { type ConnectDeps, type ConnectLimits, openConnection, readKey } from './connect.ts'
import { createHostKeys } from './host-keys.ts'
import { type Hop, nameOf, planHops } from './hops.ts'
import { fingerprintOf, keyTypeOf } from './known-hosts.ts'
import { createHostLink } from './link.ts'
import { forgetRecordedKey, listRecordedKeys, type RecordedKey } from './own-keys.ts'
import { createSecretMemory } from './secrets.ts'
import type { ReconnectLimits } from './supervisor.ts'
import type { HostLink, Prompter } from './types.ts'

export { OWN_FOLDER, ownLevels } from './own-folder.ts'
export { OWN_PROCESS } from './own-process.ts'
export { endConnectionOf } from './scope.ts'
export type * from './types.ts'

interface HostKeyReport {
  hop: string
  keyType: string
  fingerprint: string
  state: 'known' | 'unknown' | 'changed' | 'revoked'
  knownFingerprints: string[]
}

export interface SshConnector {
  /** Opens the control connection. Throws unreachable, host_key_unknown, host_key_changed, auth or usage. */
  connect(host: Host): Promise<HostLink>
  /** The key of the first hop that is not known, else of the host, read without authenticating there. */
  readHostKey(host: Host): Promise<HostKeyReport>
  /** Reads the key again and records it in our own file when it has this fingerprint. Throws host_key_changed when it has another. */
  trust(host: Host, fingerprint: string): Promise<void>
  /** Host names in ~/.ssh/config that a person could connect to. */
  configAliases(): string[]
  /** The keys in our own known_hosts. */
  recordedKeys(): RecordedKey[]
  /** Takes a line out of our own known_hosts. Throws not_found. */
  forgetKey(line: string): void
  /** The way to a host as the configuration gives it, and what of the configuration is not followed. */
  describe(host: Host): { hops: { label: string; hostName: string; port: number; user: string }[]; notes: string[] }
  dispose(): Promise<void>
}

export interface SshConnectorDeps {
  /** The person's home folder; ~/.ssh is read there, never written. Default the real one. */
  homeDir?: string
  /** Our own known_hosts, in the data folder. */
  ownKnownHostsPath: string
  prompter: Prompter
  env?: Record<string, string | undefined>
  log?: (text: string) => void
  /** Default /etc/ssh/ssh_config. */
  systemConfigPath?: string
  limits?: Partial<ConnectLimits & ReconnectLimits>
}

/** The demo machine is on this machine and brings its key: what the person's configuration says about every host isn't meant for it. */
function nobodysSource(host: Host): ConfigSource {
  const homeDir = dirname(host.identityFile ?? '/')
  return { homeDir, env: {}, systemConfigPath: join(homeDir, 'no-ssh-config') }
}

export function createSshConnector(deps: SshConnectorDeps): SshConnector {
  const env = deps.env ?? process.env
  const homeDir = deps.homeDir ?? homedir()
  const source: ConfigSource = { homeDir, env, systemConfigPath: deps.systemConfigPath }
  const secrets = createSecretMemory(deps.prompter)
  const noted = new Set<string>()
  const noteOnce = (note: string) => {
    if (!noted.has(note)) deps.log?.(note)
    noted.add(note)
  }
  const hostKeys = createHostKeys(deps.ownKnownHostsPath, noteOnce)
  const connecting: ConnectDeps = { homeDir, env, secrets, hostKeys, limits: deps.limits }
  const links = new Set<HostLink>()

  const hopsTo = (host: Host): Hop[] => {
    const overrides = { user: host.user, port: host.port, identityFile: host.identityFile }
    const hops = planHops(host.name, host.address, overrides, host.demo ? nobodysSource(host) : source)
    for (const hop of hops) hop.target.notes.forEach(noteOnce)
    return hops
  }

  return {
    async connect(host) {
      const hops = hopsTo(host)
      const open = () => openConnection(hops, connecting)
      const link: HostLink = createHostLink({
        hostName: host.name,
        first: await open(),
        open,
        limits: deps.limits,
        onDisposed: () => links.delete(link),
      })
      links.add(link)
      return link
    },
    async readHostKey(host) {
      const { hop, key } = await readKey(hopsTo(host), connecting)
      const verdict = hostKeys.judge(hop, key)
      return {
        hop: nameOf(hop),
        keyType: keyTypeOf(key),
        fingerprint: verdict.fingerprint,
        state: verdict.state,
        knownFingerprints: 'known' in verdict ? verdict.known.map((known) => known.fingerprint) : [],
      }
    },
    async trust(host, fingerprint) {
      const { hop, key } = await readKey(hopsTo(host), connecting)
      const shown = fingerprintOf(key)
      if (shown !== fingerprint) {
        throw new SpeedgridError('host_key_changed', `${nameOf(hop)} shows another host key than the one you confirmed.`, {
          evidence: [`confirmed: ${fingerprint}`, `shown now: ${keyTypeOf(key)} ${shown}`],
          nextStep: 'Nothing was recorded. Ask the administrator of the host for its fingerprint.',
        })
      }
      const verdict = hostKeys.judge(hop, key)
      if (verdict.state === 'revoked') {
        throw new SpeedgridError(
          'host_key_changed',
          `The host key of ${nameOf(hop)} is marked as revoked and can't be trusted.`,
          {
            evidence: verdict.known.map((known) => `${known.keyType} ${known.fingerprint} (${known.source})`),
          },
        )
      }
      if (verdict.state !== 'known') hostKeys.record(hop, key, { replace: true })
    },
    configAliases: () => configAliases(source),
    recordedKeys: () => listRecordedKeys(deps.ownKnownHostsPath),
    forgetKey: (line) => {
      if (forgetRecordedKey(deps.ownKnownHostsPath, line)) return
      throw new SpeedgridError('not_found', 'That host key is not recorded any more.', {
        evidence: [deps.ownKnownHostsPath],
      })
    },
    describe(host) {
      const hops = hopsTo(host)
      return {
        hops: hops.map(({ label, target }) => ({ label, hostName: target.hostName, port: target.port, user: target.user })),
        notes: hops.flatMap((hop) => hop.target.notes),
      }
    },
    async dispose() {
      await Promise.all([...links].map((link) => link.dispose()))
      secrets.clear()
    },
  }
}

export { removeDeadSockets } from './tunnel-socket.ts'
