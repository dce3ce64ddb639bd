import { join } from 'node:path'
import { createConnectionStates, createHosts } from '../hosts/index.ts'
import { createServers } from '../servers/index.ts'
import { createSshConnector, removeDeadSockets } from '../ssh/index.ts'
import { createStore } from '../store/index.ts'
import { createSweeps } from '../sweep/index.ts'
import type { Engine, EngineOptions } from './types.ts'

/** Puts the services together. Throws where the data folder can't be used. */
export function createEngine(options: EngineOptions): Engine {
  const { dataDir } = options
  const store = createStore({ dataDir })
  const socketsRemoved = removeDeadSockets()
  const ssh = createSshConnector({
    homeDir: options.homeDir,
    ownKnownHostsPath: join(dataDir, 'known_hosts'),
    prompter: options.prompter,
  })
  const connections = createConnectionStates()
  const hosts = createHosts({ store: store.hosts, ssh, states: connections })
  const servers = createServers({
    connect: (name) => hosts.connect(name),
    inventory: (name) => hosts.inventory(name),
  })
  const sweeps = createSweeps({
    store,
    hosts,
    servers,
    driverPath: options.driverPath,
    nodeBinaries: options.nodeBinaries,
    dataDir,
  })

  // What uses comes before what is used (hosts end the connector); one that fails to end doesn't keep the others.
  const parts = [sweeps, servers, hosts]
  async function endAll(): Promise<void> {
    const failures: unknown[] = []
    for (const part of parts) await part.dispose().catch((error: unknown) => failures.push(error))
    store.dispose()
    // A short command is over before it is done.
    await socketsRemoved
    if (failures.length > 0) throw failures[0]
  }
  let ending: Promise<void> | undefined
  return { store, hosts, servers, sweeps, connections, ssh, dispose: () => (ending ??= endAll()) }
}
