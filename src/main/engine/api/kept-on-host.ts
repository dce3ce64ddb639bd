import { SpeedgridError } from '../../../shared/model/error.ts'
import { type KeptFolder, listKeptFolders, removeOwnFolder } from '../../servers/index.ts'
import { isDriverAlive } from '../../sweep/index.ts'
import type { Engine } from '../types.ts'

const WHAT: Record<KeptFolder['kind'], string> = {
  server: 'a server: its log, script and state',
  run: 'a run: what its driver writes until it is stored here',
  node: 'Node, brought for the driver',
}

type Deps = Pick<Engine, 'hosts' | 'servers'>

/** What of ours lies on a host, in words. */
export async function keptOnHost(engine: Deps, name: string): Promise<{ path: string; bytes: number; what: string }[]> {
  const folders = await listKeptFolders(await engine.hosts.connect(name))
  return folders.map(({ path, bytes, kind }) => ({ path, bytes, what: WHAT[kind] }))
}

/** Removes one of them. Throws `not_found`, or `conflict` while it is in use. */
export async function removeKeptOnHost(engine: Deps, name: string, path: string): Promise<void> {
  const link = await engine.hosts.connect(name)
  const folder = (await listKeptFolders(link)).find((one) => one.path === path)
  if (folder === undefined) throw new SpeedgridError('not_found', `${path} is not one of our folders on ${name}.`)
  if (folder.kind === 'server') {
    const status = (await engine.servers.list(name)).find(({ server }) => server.folder === path)
    if (status?.state === 'ready' || status?.state === 'starting' || status?.state === 'stopping') {
      throw new SpeedgridError('conflict', `The server ${status.server.id} is running (${status.state}).`, {
        evidence: [status.evidence],
        nextStep: 'Stop it first.',
      })
    }
  }
  if (folder.kind === 'run' && (await isDriverAlive(link, path))) {
    throw new SpeedgridError('conflict', 'A driver is measuring in this folder.', { nextStep: 'Stop or finish its run first.' })
  }
  await removeOwnFolder(link, folder.path)
}
