import { SpeedgridError } from '../../shared/model/error.ts'
import { type ConfigSource, type ResolvedTarget, type TargetOverrides, resolveTarget } from './config.ts'

/** One machine on the way to a host; the last hop is the host itself. */
export interface Hop {
  target: ResolvedTarget
  /** user@name:port, as prompts and errors name it. */
  label: string
  /** “hop 1 of 2”; empty where there is only one. */
  place: string
  /** What the person calls the whole way, for next steps. */
  hostName: string
}

const MAX_HOPS = 8

/** The way to a host, first machine first. Throws `usage` for a way that can't be followed. */
export function planHops(hostName: string, alias: string, overrides: TargetOverrides, source: ConfigSource): Hop[] {
  const targets = way(alias, overrides, undefined, source, 0)
  return targets.map((target, index) => ({
    target,
    label: labelOf(target),
    place: targets.length > 1 ? `hop ${index + 1} of ${targets.length}` : '',
    hostName,
  }))
}

/** As OpenSSH: `-J a,b` reaches b through a, whatever b's own configuration says; only the first of a list follows its own ProxyJump. */
function way(
  alias: string,
  overrides: TargetOverrides,
  through: ResolvedTarget['jumps'] | undefined,
  source: ConfigSource,
  depth: number,
): ResolvedTarget[] {
  if (depth >= MAX_HOPS)
    throw new SpeedgridError('usage', `ProxyJump leads in a circle, or over more than ${MAX_HOPS} machines (at ${alias}).`)
  const target = resolveTarget(alias, source, overrides)
  const jumps = through ?? target.jumps
  const last = jumps.at(-1)
  if (!last) {
    if (target.proxyCommand && !through) {
      throw new SpeedgridError('usage', `The SSH configuration reaches ${alias} by ProxyCommand, which is not supported.`, {
        evidence: [`ProxyCommand ${target.proxyCommand}`],
        nextStep: 'Write the same way as ProxyJump [user@]host[:port].',
      })
    }
    return [target]
  }
  const jump = resolveTarget(last.alias, source, { user: last.user, port: last.port })
  // `Host *` with a ProxyJump covers the jump host too; a machine is not reached through itself.
  if (jump.hostName === target.hostName && jump.port === target.port) return [target]
  const rest = jumps.length > 1 ? jumps.slice(0, -1) : undefined
  const before = way(last.alias, { user: last.user, port: last.port }, rest, source, depth + 1)
  return [...before, target]
}

function labelOf(target: ResolvedTarget): string {
  const address = target.hostName.includes(':') ? `[${target.hostName}]` : target.hostName
  return `${target.user}@${address}${target.port === 22 ? '' : `:${target.port}`}`
}

/** “user@name (hop 1 of 2)”. */
export function nameOf(hop: Hop): string {
  return hop.place ? `${hop.label} (${hop.place})` : hop.label
}
