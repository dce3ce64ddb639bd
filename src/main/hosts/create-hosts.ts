import { SpeedgridError } from '../../shared/model/error.ts'
import type { Host } from '../../shared/model/host.ts'
import { hostSchema } from '../../shared/model/host.ts'
import type { SshConnector } from '../ssh/index.ts'
import type { HostsStore } from '../store/types.ts'
import { type ConnectionStateBook, createConnectionStates } from './connection-states.ts'
import type { Network } from './doctor/network.ts'
import { systemNetwork } from './doctor/network.ts'
import { runDoctor } from './doctor/run-doctor.ts'
import { readInventory } from './inventory/read-inventory.ts'
import { createKeptLinks } from './kept-links.ts'
import { nearNames } from './near-names.ts'
import { parseTarget } from './target.ts'
import type { HostsService } from './types.ts'

interface HostsDeps {
  store: HostsStore
  ssh: Pick<SshConnector, 'connect' | 'readHostKey' | 'trust' | 'configAliases' | 'describe' | 'dispose'>
  clock?: { now(): number }
  network?: Network
  /** Where the states of the connections are written down. */
  states?: ConnectionStateBook
}

/** The host list, one kept connection a host, the doctor and the inventory. Owns the connector it is given: dispose ends both. */
export function createHosts(deps: HostsDeps): HostsService {
  const { store, ssh } = deps
  const clock = deps.clock ?? { now: () => Date.now() }
  const links = createKeptLinks((host) => ssh.connect(host), deps.states ?? createConnectionStates())

  const get = (name: string): Host => {
    const hosts = store.list()
    const found = hosts.find((host) => host.name === name)
    if (found !== undefined) return found
    throw unknownHost(
      name,
      hosts.map((host) => host.name),
      ssh.configAliases(),
    )
  }

  return {
    list: () => store.list(),
    get,
    add(name, target, options = {}) {
      if (store.list().some((host) => host.name === name)) {
        throw new SpeedgridError('conflict', `There is a host "${name}" already.`, {
          nextStep: `Remove it first (speedgrid hosts remove ${name}), or choose another name.`,
        })
      }
      const host = hostSchema.safeParse({
        name,
        ...parseTarget(target),
        ...options,
        addedAt: new Date(clock.now()).toISOString(),
      })
      if (!host.success) {
        throw new SpeedgridError('usage', `"${name}" can't be added as a host.`, {
          evidence: host.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`),
        })
      }
      store.save(host.data)
      return host.data
    },
    remove(name) {
      get(name)
      store.remove(name)
      void links.drop(name)
    },
    readHostKey: async (name) => await ssh.readHostKey(get(name)),
    trust: async (name, fingerprint) => await ssh.trust(get(name), fingerprint),
    connect: async (name) => await links.get(get(name)),
    async doctor(name, onCheck, options = {}) {
      const host = get(name)
      return await runDoctor(
        {
          name,
          firstHop: () => firstHop(ssh.describe(host).hops),
          readHostKey: () => ssh.readHostKey(host),
          connect: () => links.get(host),
          network: deps.network ?? systemNetwork,
          ...(options.vllm === undefined ? {} : { vllm: options.vllm }),
        },
        onCheck,
      )
    },
    inventory: async (name, options = {}) => (await readInventory(await links.get(get(name)), options.vllm)).inventory,
    async dispose() {
      await links.dispose()
      await ssh.dispose()
    },
  }
}

function firstHop(hops: ReturnType<SshConnector['describe']>['hops']) {
  const first = hops[0]
  const last = hops.at(-1)
  if (first === undefined || last === undefined) throw new SpeedgridError('internal', 'The way to the host has no machine.')
  return { label: last.label, hostName: first.hostName, port: first.port, hops: hops.length }
}

function unknownHost(name: string, names: string[], aliases: string[]): SpeedgridError {
  const near = nearNames(name, names)
  const alias = aliases.includes(name)
  const addIt = alias
    ? `It is in ~/.ssh/config; add it: speedgrid hosts add ${name} ${name}`
    : `Add it: speedgrid hosts add ${name} [user@]address`
  return new SpeedgridError('unknown_host', `There is no host "${name}".`, {
    evidence: names.length === 0 ? ['The host list is empty.'] : [`Hosts: ${names.join(', ')}`],
    nextStep: near.length > 0 && !alias ? `Did you mean ${near.join(' or ')}? ${addIt}` : addIt,
  })
}
