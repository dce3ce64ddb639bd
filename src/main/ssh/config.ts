import { userInfo } from 'node:os'
import { join } from 'node:path'
import { SpeedgridError } from '../../shared/model/error.ts'
import { type ConfigLine, readConfigFile } from './config-files.ts'
import { type ExpandContext, expandPath, expandTokens } from './config-expand.ts'
import { matchCriteria } from './config-match.ts'
import { matchesPatternList } from './patterns.ts'

/** What the person has said about a target besides its name; stronger than the configuration, as on ssh's command line. */
export interface TargetOverrides {
  user?: string | undefined
  port?: number | undefined
  identityFile?: string | undefined
}

/** One machine to connect to, with everything that ssh_config says about it. Paths are absolute. */
export interface ResolvedTarget {
  /** As the person or a ProxyJump names it. */
  alias: string
  hostName: string
  port: number
  user: string
  /** Keys named by the person or the configuration; empty means: try the default ones. */
  identityFiles: string[]
  identitiesOnly: boolean
  /** A socket path; `none` switches the agent off; undefined means $SSH_AUTH_SOCK. */
  identityAgent: string | undefined
  /** In the order they are passed through. */
  jumps: { alias: string; user?: string | undefined; port?: number | undefined }[]
  proxyCommand: string | undefined
  knownHostsFiles: string[]
  hostKeyAlias: string | undefined
  /** StrictHostKeyChecking yes: an unknown key is refused without a question. Weaker settings are not obeyed. */
  refuseUnknownKeys: boolean
  /** What was read and not followed, for the person. */
  notes: string[]
}

export interface ConfigSource {
  homeDir: string
  env: Record<string, string | undefined>
  /** Default /etc/ssh/ssh_config. */
  systemConfigPath?: string | undefined
  localUser?: string | undefined
}

const MULTIPLE = new Set(['identityfile'])
const NOT_FOLLOWED: Record<string, string> = {
  certificatefile: 'CertificateFile is not used (certificates work through the agent only).',
  pkcs11provider: 'PKCS11Provider is not used (load it into the agent).',
  canonicalizehostname: 'CanonicalizeHostname is not followed.',
  knownhostscommand: 'KnownHostsCommand is not run.',
}

/** Looks a name up in ~/.ssh/config, then the system's file; the first value found wins, as in OpenSSH. */
export function resolveTarget(alias: string, source: ConfigSource, overrides: TargetOverrides = {}): ResolvedTarget {
  const collected = collect(alias, source, overrides)
  const one = (key: string) => collected.values.get(key)?.[0]?.[0]
  const words = (key: string) => collected.values.get(key)?.[0]
  const localUser = localUserOf(source)
  const hostName = expandTokens(one('hostname') ?? alias, { h: alias })
  const user = overrides.user ?? one('user') ?? localUser
  const port = overrides.port ?? parsePort(one('port'), alias) ?? 22
  const expand: ExpandContext = { alias, hostName, user, port, localUser, homeDir: source.homeDir, env: source.env }
  const named = (collected.values.get('identityfile') ?? []).map((entry) => entry.join(' '))
  const identityFiles = [...(overrides.identityFile ? [overrides.identityFile] : []), ...named].filter((file) => file !== 'none')
  const proxy = proxyOf(collected.order, one, words)
  const knownHosts = [
    ...(words('userknownhostsfile') ?? ['~/.ssh/known_hosts', '~/.ssh/known_hosts2']),
    ...(words('globalknownhostsfile') ?? ['/etc/ssh/ssh_known_hosts', '/etc/ssh/ssh_known_hosts2']),
  ].filter((file) => file !== 'none')
  return {
    alias,
    hostName,
    port,
    user,
    identityFiles: [...new Set(identityFiles.map((file) => expandPath(file, expand)))],
    identitiesOnly: isYes(one('identitiesonly')),
    identityAgent: agentOf(one('identityagent'), expand),
    jumps: proxy.jumps,
    proxyCommand: proxy.command,
    knownHostsFiles: knownHosts.map((file) => expandPath(file, expand)),
    hostKeyAlias: one('hostkeyalias'),
    refuseUnknownKeys: isYes(one('stricthostkeychecking')),
    notes: [...collected.notes, ...notesOf(collected.values)],
  }
}

/** Names a person could connect to: the patterns of Host lines without wildcards or negation, in the order they stand. */
export function configAliases(source: ConfigSource): string[] {
  const names = new Set<string>()
  const visit = (lines: readonly ConfigLine[]): void => {
    for (const line of lines) {
      if (line.kind === 'include') line.files.forEach(visit)
      if (line.kind === 'host') for (const word of line.words) if (!/[*?!]/.test(word)) names.add(word)
      if (line.kind === 'host' || line.kind === 'match') visit(line.lines)
    }
  }
  visit(readConfigFile(join(source.homeDir, '.ssh', 'config'), source.homeDir))
  return [...names]
}

interface Collected {
  values: Map<string, string[][]>
  order: string[]
  notes: string[]
}

function collect(alias: string, source: ConfigSource, overrides: TargetOverrides): Collected {
  const collected: Collected = { values: new Map(), order: [], notes: [] }
  const localUser = localUserOf(source)
  const visit = (lines: readonly ConfigLine[]): void => {
    for (const line of lines) {
      if (line.kind === 'include') line.files.forEach(visit)
      else if (line.kind === 'option') add(collected, line)
      else if (line.kind === 'host') {
        if (matchesPatternList(alias, line.words)) visit(line.lines)
      } else {
        const configured = (key: string) => collected.values.get(key)?.[0]?.[0]
        const context = {
          host: expandTokens(configured('hostname') ?? alias, { h: alias }),
          originalHost: alias,
          user: overrides.user ?? configured('user') ?? localUser,
          localUser,
        }
        const verdict = matchCriteria(line.words, context)
        if (verdict.note) collected.notes.push(verdict.note)
        if (verdict.matches) visit(line.lines)
      }
    }
  }
  visit(readConfigFile(join(source.homeDir, '.ssh', 'config'), source.homeDir))
  visit(readConfigFile(source.systemConfigPath ?? '/etc/ssh/ssh_config', source.homeDir))
  return collected
}

function add(collected: Collected, line: { key: string; words: string[] }): void {
  const seen = collected.values.get(line.key)
  if (!seen) {
    collected.values.set(line.key, [line.words])
    collected.order.push(line.key)
  } else if (MULTIPLE.has(line.key)) {
    seen.push(line.words)
  }
}

/** ProxyJump and ProxyCommand exclude each other: whichever is read first counts. */
function proxyOf(
  order: readonly string[],
  one: (key: string) => string | undefined,
  words: (key: string) => string[] | undefined,
) {
  const first = order.find((key) => key === 'proxyjump' || key === 'proxycommand')
  const none = { jumps: [], command: undefined }
  if (first === 'proxycommand') {
    const command = words('proxycommand')?.join(' ')
    return command?.toLowerCase() === 'none' ? none : { jumps: [], command }
  }
  const jump = one('proxyjump')
  if (!jump || jump.toLowerCase() === 'none') return none
  return { jumps: jump.split(',').map(parseJump), command: undefined }
}

/** `[user@]host[:port]`, `ssh://…`, and IPv6 addresses in brackets. Throws `usage`. */
export function parseJump(text: string): { alias: string; user?: string | undefined; port?: number | undefined } {
  const spec = text
    .trim()
    .replace(/^ssh:\/\//, '')
    .replace(/\/$/, '')
  const at = spec.lastIndexOf('@')
  const user = at > 0 ? spec.slice(0, at) : undefined
  const place = spec.slice(at + 1)
  // An IPv6 address without brackets has two colons or more, and no port.
  const bare = /^[0-9A-Fa-f:.]+$/.test(place) && place.split(':').length > 2
  const parts = bare ? [place, place] : /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(place)
  const alias = parts?.[1] ?? parts?.[2]
  if (!parts || !alias || at === 0)
    throw new SpeedgridError('usage', `“${text}” is not a jump host; [user@]host[:port] is expected.`)
  return { alias, user, port: parsePort(parts[3], alias) }
}

function parsePort(text: string | undefined, alias: string): number | undefined {
  if (text === undefined) return undefined
  const port = Number(text)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new SpeedgridError('usage', `“${text}” is not a port (SSH configuration of ${alias}).`)
  }
  return port
}

function agentOf(value: string | undefined, expand: ExpandContext): string | undefined {
  if (value === undefined || value === 'SSH_AUTH_SOCK') return undefined
  if (value.toLowerCase() === 'none') return 'none'
  if (value.startsWith('$') && !value.startsWith('${')) return expand.env[value.slice(1)] ?? 'none'
  return expandPath(value, expand)
}

function notesOf(values: ReadonlyMap<string, string[][]>): string[] {
  const notes = Object.entries(NOT_FOLLOWED).flatMap(([key, note]) => (values.has(key) ? [note] : []))
  const strict = values.get('stricthostkeychecking')?.[0]?.[0]?.toLowerCase()
  if (strict && ['no', 'off', 'accept-new'].includes(strict)) {
    notes.push(`StrictHostKeyChecking ${strict} is not followed: an unknown host key is always asked about.`)
  }
  return notes
}

function isYes(value: string | undefined): boolean {
  return value !== undefined && ['yes', 'true'].includes(value.toLowerCase())
}

function localUserOf(source: ConfigSource): string {
  if (source.localUser) return source.localUser
  try {
    return userInfo().username
  } catch {
    return source.env['USER'] ?? source.env['USERNAME'] ?? 'root'
  }
}
