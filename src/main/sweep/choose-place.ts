import { SpeedgridError } from '../../shared/model/error.ts'
import type { Inventory } from '../../shared/model/host.ts'
import type { Plan } from '../../shared/model/plan.ts'
import type { HostLink } from '../ssh/types.ts'
import { bringNode, findBroughtNode, type NodeBinaries, pickBinary, remoteNodePath, sha256Of } from './bring-node.ts'

const OLDEST_NODE = 20

export type Placement =
  | {
      place: 'host'
      node: string
      /** Of a Node that we brought: checked again right before it is started. The host's own is the host's business. */
      nodeSha256?: string
      note?: string
    }
  | { place: 'tunnel'; note?: string }

interface PlaceInput {
  plan: Pick<Plan, 'driver' | 'sendNode'>
  link: HostLink
  inventory: Inventory
  /** Our folder on the host. */
  base: string
  nodeBinaries?: NodeBinaries
}

/**
 * On the host where a Node is found there or may be brought, else through the tunnel, saying why. `host` asked for and not possible: throws
 * `no_node`.
 */
export async function choosePlace(input: PlaceInput): Promise<Placement> {
  const { plan, inventory, link } = input
  if (plan.driver === 'local') {
    throw new SpeedgridError('usage', 'A local driver needs the address of the server (--url), not a host', {
      nextStep: 'Use --driver tunnel to run the driver on this machine.',
    })
  }
  if (plan.driver === 'tunnel') return { place: 'tunnel' }
  const found = inventory.node
  const usable = found !== undefined && majorOf(found.version) >= OLDEST_NODE
  if (usable && found.brought !== true) return { place: 'host', node: found.path }

  const seen =
    found === undefined
      ? 'no Node was found'
      : usable
        ? `the Node that was brought (${found.version}) is not the one of this version`
        : `${found.path} is ${found.version}`
  try {
    const brought = await useOwnNode(input)
    if (brought !== undefined) return { place: 'host', ...brought }
  } catch (error) {
    if (plan.driver === 'host' || !(error instanceof SpeedgridError)) throw error
    return {
      place: 'tunnel',
      note: `${seen} on ${link.hostName}, and bringing one failed (${error.message}): through the tunnel instead`,
    }
  }
  if (plan.driver === 'host') throw noNode(input, seen)
  return { place: 'tunnel', note: `${seen} on ${link.hostName}: the driver runs on this machine, through the tunnel` }
}

async function useOwnNode({
  plan,
  link,
  inventory,
  base,
  nodeBinaries,
}: PlaceInput): Promise<{ node: string; nodeSha256: string; note?: string } | undefined> {
  const binary = pickBinary(nodeBinaries, inventory.arch)
  if (binary === undefined) return undefined
  const sha256 = await sha256Of(binary.path)
  const node = remoteNodePath(base, binary, sha256)
  if ((await findBroughtNode(link, node, sha256)) !== undefined) return { node, nodeSha256: sha256 }
  if (!plan.sendNode) return undefined
  await bringNode(link, { localPath: binary.path, remotePath: node, sha256 })
  return {
    node,
    nodeSha256: sha256,
    note: `Node was brought to ${link.hostName}: ${node} (sha256 ${sha256}); it stays there for the next sweep`,
  }
}

function noNode({ plan, inventory, link }: PlaceInput, seen: string): SpeedgridError {
  const brought = plan.sendNode ? [`none of ours fits ${inventory.arch ?? 'an unknown architecture'}`] : []
  return new SpeedgridError(
    'no_node',
    `The driver cannot run on ${link.hostName}: it needs Node ${String(OLDEST_NODE)} or newer there`,
    {
      evidence: [seen, ...brought],
      nextStep: plan.sendNode
        ? 'Install Node there, or measure through the tunnel with --driver tunnel.'
        : 'Allow bringing one with --send-node, install Node there, or measure through the tunnel with --driver tunnel.',
    },
  )
}

function majorOf(version: string): number {
  return Number(/^v?(\d+)/.exec(version)?.[1] ?? 0)
}
