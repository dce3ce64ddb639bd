import { join } from 'node:path'
import type { HostsService } from '../hosts/types.ts'
import type { ServersService } from '../servers/types.ts'
import type { DriverLocation } from '../store/index.ts'
import { createBesideFeed } from './beside-feed.ts'
import { hasNvidia, type JobInput, makeJob } from './make-job.ts'
import type { ResolvedTarget } from './resolve-target.ts'
import { createRemoteFolder, runFolderName } from './run-folder.ts'
import type { RunningDriver } from './running-driver.ts'
import { startBeside } from './start-beside.ts'
import { startOnHost } from './start-on-host.ts'

export interface DriverStarter {
  hosts: HostsService
  servers: Pick<ServersService, 'confirmListener'>
  driverPath: string
  dataDir: string
  /** Of the history that the run belongs to. */
  historyIdentity: () => Promise<string>
}

/** Where the driver of a run (or dry run) called `name` will be, before it is started. */
export function locateDriver(dataDir: string, name: string, target: ResolvedTarget, epoch: number): DriverLocation {
  const { place } = target.placement
  const remote = target.host
  const folderName = runFolderName(name, epoch)
  const folder =
    place === 'host' && remote !== undefined ? `${remote.base}/runs/${folderName}` : join(dataDir, 'runs', folderName)
  return { place, host: remote?.host.name, serverId: remote?.server.id, baseUrl: target.baseUrl, folder, epoch }
}

/** Starts a driver where the target says. Throws what is in the way; nothing of it is left then. */
export async function startDriver(
  { hosts, servers, driverPath, historyIdentity }: DriverStarter,
  location: DriverLocation,
  input: Omit<JobInput, 'socketPath'>,
): Promise<RunningDriver> {
  const { target } = input
  const { apiKey, placement, host } = target
  const owner = { history: await historyIdentity(), runId: input.runId, epoch: input.epoch }
  if (placement.place === 'local' || host === undefined) {
    return await startBeside({ place: 'local', folderPath: location.folder, driverPath, job: makeJob(input), owner, apiKey })
  }
  const connect = () => hosts.connect(host.host.name)
  if (placement.place === 'host') {
    const folder = createRemoteFolder({ connect, path: location.folder })
    const { node, nodeSha256 } = placement
    return await startOnHost({ connect, folder, node, nodeSha256, driverPath, job: makeJob(input), owner, apiKey })
  }
  const link = await connect()
  const { server } = host
  const tunnel = await link.tunnel(server.port, {
    streams: Math.max(...input.plan.concurrency),
    ...(server.address === undefined ? {} : { address: server.address }),
    confirm: () => servers.confirmListener(server),
  })
  const job = makeJob({ ...input, socketPath: tunnel.socketPath })
  const feed = createBesideFeed({ connect, gpus: hasNvidia(target), tunnel })
  return await startBeside({
    place: 'tunnel',
    folderPath: location.folder,
    driverPath,
    job,
    owner,
    apiKey,
    feed,
    tunnel,
    dispose: () => tunnel.dispose(),
  })
}
