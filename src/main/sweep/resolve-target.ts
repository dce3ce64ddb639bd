import type { EngineFacts } from '../../shared/model/engine-facts.ts'
import { SpeedgridError } from '../../shared/model/error.ts'
import type { Host, Inventory } from '../../shared/model/host.ts'
import type { Plan } from '../../shared/model/plan.ts'
import type { Server } from '../../shared/model/server.ts'
import type { HostsService } from '../hosts/types.ts'
import type { ServersService } from '../servers/types.ts'
import { resolveBaseFolder } from '../servers/index.ts'
import type { NodeBinaries } from './bring-node.ts'
import { choosePlace, type Placement } from './choose-place.ts'
import type { SweepTarget } from './types.ts'

/** Everything known about what a driver will measure, and where that driver goes. */
export interface ResolvedTarget {
  placement: Placement | { place: 'local'; note?: string }
  /** http(s)://host:port as the driver sees it. */
  baseUrl: string
  apiKey?: string
  known: Partial<EngineFacts>
  host?: {
    host: Host
    server: Server
    inventory: Inventory
    /** Our folder on the host. */
    base: string
  }
}

interface TargetServices {
  hosts: HostsService
  servers: ServersService
  nodeBinaries?: NodeBinaries
}

/** Throws `usage`, `not_found`, `server_gone`, `no_node`, or what connecting throws. */
export async function resolveTarget(
  services: TargetServices,
  target: SweepTarget,
  plan: Plan,
  apiKey: string | undefined,
): Promise<ResolvedTarget> {
  return target.kind === 'url' ? resolveUrl(target, plan, apiKey) : await resolveServer(services, target, plan, apiKey)
}

function resolveUrl(target: Extract<SweepTarget, { kind: 'url' }>, plan: Plan, apiKey: string | undefined): ResolvedTarget {
  if (plan.driver === 'host' || plan.driver === 'tunnel') {
    throw new SpeedgridError('usage', `A driver “${plan.driver}” needs a host, and a URL names none`, {
      nextStep: 'Name the host with --host, or leave --driver out.',
    })
  }
  return { placement: { place: 'local' }, baseUrl: originOf(target.url), apiKey: apiKey ?? target.apiKey, known: {} }
}

/** `http://host:port`, with or without the `/v1` that people copy along. */
function originOf(text: string): string {
  const nextStep = 'Give it as http://HOST:PORT; a key comes from the environment (--api-key-env).'
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new SpeedgridError('usage', 'The URL of the server is not an http address', { nextStep })
  }
  if (url.username !== '' || url.password !== '')
    throw new SpeedgridError('usage', 'The URL of the server holds a secret', { nextStep })
  if (!/^\/(v1\/?)?$/.test(url.pathname) || url.search !== '') {
    throw new SpeedgridError('usage', `The URL of the server has a path: ${url.pathname}${url.search}`, { nextStep })
  }
  return url.origin
}

async function resolveServer(
  { hosts, servers, nodeBinaries }: TargetServices,
  target: Extract<SweepTarget, { kind: 'server' }>,
  plan: Plan,
  apiKey: string | undefined,
): Promise<ResolvedTarget> {
  const host = hosts.get(target.host)
  const status = await servers.find(target.host, target.server)
  const { server } = status
  // Servers of other makes may have no /health: one that somebody adopted and that answers is left to the driver to judge.
  const answers = status.state === 'ready' || (server.adopted && status.health === 'unhealthy')
  if (!answers) throw notReady(target.host, server, status.state, status.evidence)
  const link = await hosts.connect(target.host)
  const inventory = await hosts.inventory(target.host)
  const base = (await resolveBaseFolder(link)).path
  const [placement, key, known] = await Promise.all([
    choosePlace({ plan, link, inventory, base, nodeBinaries }),
    apiKey === undefined ? servers.apiKey(server) : servers.confirmListener(server).then(() => apiKey),
    servers.known(server),
  ])
  return {
    placement,
    baseUrl: `http://${addressOf(server)}:${String(server.port)}`,
    apiKey: key,
    known,
    host: { host, server, inventory, base },
  }
}

/** The very address whose listener was looked at. */
function addressOf({ address = '127.0.0.1' }: Server): string {
  return address.includes(':') && !address.startsWith('[') ? `[${address}]` : address
}

function notReady(host: string, server: Server, state: string, evidence: string): SpeedgridError {
  const starting = state === 'starting'
  return new SpeedgridError(
    'server_gone',
    `Server ${server.id} on ${host} is ${starting ? 'still starting' : `not running (${state})`}`,
    {
      evidence: [evidence],
      nextStep: starting
        ? `Wait until it is ready: speedgrid logs ${host} ${server.id} -f`
        : `Start it again with speedgrid launch ${host}, or see what runs there: speedgrid servers ${host}`,
    },
  )
}
