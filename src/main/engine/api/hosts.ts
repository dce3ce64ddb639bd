import type { HostsApi, HostView } from '../../../shared/contract/hosts.ts'
import { SpeedgridError } from '../../../shared/model/error.ts'
import type { Host } from '../../../shared/model/host.ts'
import type { Engine } from '../types.ts'
import { createWatchedList } from './feed/list.ts'
import { createPushStream } from './feed/stream.ts'

interface HostsPart {
  api: HostsApi
  views: () => HostView[]
  /** The host list may have changed in a way that no call of the contract made (the demo machine came or went). */
  refresh: () => void
  /** Servers of ours that were seen running on a host. */
  sawServers: (host: string, running: number) => void
  dispose: () => void
}

type HostsDeps = Pick<Engine, 'hosts' | 'servers' | 'store' | 'connections' | 'ssh'> & { now: () => number }

export function createHostsApi(deps: HostsDeps): HostsPart {
  const { hosts, store, connections } = deps
  const list = createWatchedList<HostView>((view) => view.host.name)
  const running = new Map<string, number>()
  const removed = new Map<string, Host>()

  function viewOf(host: Host): HostView {
    const connection = connections.of(host.name)
    const seen = store.inventories.find(host.name)
    const servers = running.get(host.name)
    return {
      host,
      connection: connection?.state ?? 'never',
      ...(connection?.reason === undefined ? {} : { reason: connection.reason }),
      ...(seen === undefined ? {} : { inventory: seen.inventory, inventoryAt: seen.seenAt }),
      ...(servers === undefined ? {} : { runningServers: servers }),
    }
  }
  function show(name: string): void {
    const host = hosts.list().find((one) => one.name === name)
    if (host === undefined) list.remove(name)
    else list.upsert(viewOf(host))
  }
  function refresh(): void {
    const there = hosts.list()
    for (const { host } of list.snapshot()) if (!there.some((one) => one.name === host.name)) list.remove(host.name)
    for (const host of there) if (list.get(host.name) === undefined) list.upsert(viewOf(host))
  }
  function sawServers(host: string, count: number): void {
    if (running.get(host) === count) return
    running.set(host, count)
    show(host)
  }
  function forget(name: string): void {
    running.delete(name)
    store.inventories.remove(name)
  }
  const stop = connections.onChange(show)
  refresh()

  const api: HostsApi = {
    watch(signal) {
      // Another engine on the same data folder may have added some.
      refresh()
      return list.feed(signal)
    },
    configAliases: async () => {
      const names = new Set(hosts.list().map((host) => host.name))
      return deps.ssh.configAliases().filter((alias) => !names.has(alias))
    },
    add: async ({ name, target, identityFile }) => {
      const host = hosts.add(name, target, identityFile === undefined ? {} : { identityFile })
      removed.delete(name)
      forget(name)
      show(name)
      return host
    },
    remove: async ({ name }) => {
      const host = hosts.get(name)
      hosts.remove(name)
      removed.set(name, host)
      show(name)
    },
    restore: async ({ name }) => {
      const host = removed.get(name)
      if (host === undefined) throw new SpeedgridError('not_found', `The host "${name}" was not removed here.`)
      if (hosts.list().some((one) => one.name === name)) {
        throw new SpeedgridError('conflict', `There is a host "${name}" again.`)
      }
      store.hosts.save(host)
      removed.delete(name)
      show(name)
    },
    readKey: async ({ name }) => await hosts.readHostKey(name),
    trust: async ({ name, fingerprint }) => await hosts.trust(name, fingerprint),
    connect: async ({ name }) => {
      await hosts.connect(name)
      const inventory = await hosts.inventory(name)
      store.inventories.save(name, inventory, new Date(deps.now()).toISOString())
      show(name)
      // Beside the point of connecting: a host whose servers can't be listed is connected all the same.
      void deps.servers.list(name).then(
        (servers) => sawServers(name, servers.filter(({ state }) => state === 'ready' || state === 'starting').length),
        () => undefined,
      )
      return inventory
    },
    doctor: ({ name }, signal) => {
      const checks = createPushStream<Awaited<ReturnType<typeof hosts.doctor>>[number]>(signal)
      hosts
        .doctor(name, (check) => checks.push(check))
        .then(
          () => checks.end(),
          (error: unknown) => checks.end(error),
        )
      return checks
    },
  }
  return { api, views: list.snapshot, refresh, sawServers, dispose: stop }
}
