import { SpeedgridError } from '../../shared/model/error.ts'
import type { Inventory } from '../../shared/model/host.ts'
import type { Server } from '../../shared/model/server.ts'
import { createRedactor } from '../../shared/secrets/index.ts'
import type { HostLink } from '../ssh/types.ts'
import { adoptServer } from './adopt.ts'
import { readApiKey } from './api-key.ts'
import { type Clock, systemClock } from './clock.ts'
import { readKnown } from './known.ts'
import { launchServer } from './launch.ts'
import { confirmListener } from './listener.ts'
import { createLogFacts } from './log-facts.ts'
import { createLineSplitter } from './log-lines.ts'
import { createLogRedaction } from './log-redaction.ts'
import { tailFile } from './log-tail.ts'
import { readSecretValues } from './secret-values.ts'
import { pickServer, readStates, type StoredServer } from './state-file.ts'
import { readStatus } from './status.ts'
import { STOP_TIMES, stopServer, type StopTimes } from './stop.ts'
import type { ServersService, ServerStatus } from './types.ts'

export interface ServersDeps {
  connect: (hostName: string) => Promise<HostLink>
  inventory: (hostName: string) => Promise<Inventory>
  /** What happened, for the program's own log; never with a secret. */
  log?: (message: string, detail?: Record<string, unknown>) => void
  clock?: Clock
  /** Between two looks at a starting server; default 1 s. */
  pollMs?: number
  stopTimes?: Partial<StopTimes>
  /** Of the hosts; another one in tests. */
  temporaryFolder?: string
}

// The start-up facts are at the log's beginning; a server that has run for weeks has a long rest.
const LOG_HEAD_BYTES = 8 * 1024 * 1024

export function createServers(deps: ServersDeps): ServersService {
  const clock = deps.clock ?? systemClock
  const log = deps.log ?? (() => undefined)
  const keys = new Map<string, string>()
  const disposed = new AbortController()
  const keyOf = (server: Pick<Server, 'host' | 'id'>) => `${server.host}/${server.id}`

  const stored = (link: HostLink): Promise<StoredServer[]> => readStates(link, deps.temporaryFolder)
  const statuses = async (link: HostLink, servers: StoredServer[]): Promise<ServerStatus[]> => {
    const all = await Promise.all(servers.map((one) => readStatus(link, one)))
    return all.filter((status) => status !== undefined)
  }

  return {
    launch: async (request, onEvent) => {
      const link = await deps.connect(request.host)
      const outcome = await launchServer(
        {
          link,
          clock,
          pollMs: deps.pollMs ?? 1_000,
          inventory: () => deps.inventory(request.host),
          onKey: (server, apiKey) => keys.set(keyOf(server), apiKey),
        },
        request,
        onEvent,
      )
      log('launch', { host: request.host, server: outcome.server.id, state: outcome.state, seconds: outcome.seconds })
      if (outcome.state === 'failed') keys.delete(keyOf(outcome.server))
      return outcome
    },

    list: async (host) => {
      const link = await deps.connect(host)
      return await statuses(link, await stored(link))
    },

    find: async (host, idOrName) => {
      const link = await deps.connect(host)
      const servers = await stored(link)
      if (idOrName !== undefined) {
        const [status] = await statuses(link, [pickServer(servers, host, idOrName)])
        if (status !== undefined) return status
        throw new SpeedgridError('not_found', `"${idOrName}" was started on another machine than ${host}`)
      }
      return onlyRunning(host, await statuses(link, servers))
    },

    log: async (host, id, onChunk, options = {}) => {
      const link = await deps.connect(host)
      const { server } = pickServer(await stored(link), host, id).state
      if (server.logPath === undefined) {
        throw new SpeedgridError('not_found', `${server.id} has no log file we know of`, {
          evidence: ['it was not started by Speedgrid, and its output does not go to a file'],
        })
      }
      const signal = options.signal === undefined ? disposed.signal : AbortSignal.any([options.signal, disposed.signal])
      const values = server.identity === undefined ? [] : await readSecretValues(link, server.identity)
      const redaction = createLogRedaction(createRedactor([...values, keys.get(keyOf(server)) ?? '']).text)
      const give = (text: string) => {
        if (text !== '') onChunk(text)
      }
      await tailFile(
        () => deps.connect(host),
        server.logPath,
        (piece) => give(redaction.push(piece)),
        clock,
        { ...options, signal },
      )
      give(redaction.end())
    },

    stop: async (host, idOrName, onEvent) => {
      const link = await deps.connect(host)
      const found = pickServer(await stored(link), host, idOrName)
      const report = await stopServer(link, found, clock, { ...STOP_TIMES, ...deps.stopTimes }, onEvent)
      keys.delete(keyOf({ host, id: found.state.server.id }))
      log('stop', { host, server: found.state.server.id, stopped: report.stopped, seconds: report.seconds })
      return report
    },

    adopt: async (host, port, options = {}) => {
      const server = await adoptServer(await deps.connect(host), port, options)
      if (options.apiKey !== undefined) keys.set(keyOf(server), options.apiKey)
      log('adopt', { host, server: server.id, port })
      return server
    },

    apiKey: async (server) => {
      const { id, identity, adopted } = server
      const given = keys.get(keyOf(server))
      if (given === undefined && (adopted || identity === undefined)) return undefined
      const link = await deps.connect(server.host)
      const key = given ?? (identity === undefined ? undefined : await readApiKey(link, id, identity))
      if (key !== undefined) await confirmListener(link, server)
      return key
    },

    confirmListener: async (server) => confirmListener(await deps.connect(server.host), server),

    known: async (server) => {
      const link = await deps.connect(server.host)
      const facts = createLogFacts()
      if (server.logPath !== undefined) await readHead(link, server.logPath, facts.push)
      return await readKnown(link, server, facts.read())
    },

    dispose: () => {
      disposed.abort()
      keys.clear()
      return Promise.resolve()
    },
  }
}

function onlyRunning(host: string, all: readonly ServerStatus[]): ServerStatus {
  const running = all.filter(({ state }) => state === 'ready' || state === 'starting')
  const [first] = running
  if (first !== undefined && running.length === 1) return first
  const cause = running.length === 0 ? `no server is running on ${host}` : `several servers are running on ${host}`
  throw new SpeedgridError('not_found', cause, {
    evidence: all.map(
      ({ server, state, evidence }) =>
        `${server.id}${server.name === undefined ? '' : ` (${server.name})`}: ${state}, ${evidence}`,
    ),
    nextStep:
      running.length === 0 ? `Start one: speedgrid launch ${host} -- vllm serve MODEL` : 'Say which one, by its id or name.',
  })
}

async function readHead(link: HostLink, path: string, onLine: (line: string) => void): Promise<void> {
  const splitter = createLineSplitter(onLine)
  let offset = 0
  try {
    while (offset < LOG_HEAD_BYTES) {
      const chunk = await link.files.read(path, offset)
      if (chunk.length === 0) break
      offset += chunk.length
      splitter.push(chunk)
    }
  } catch (error) {
    // Another account's log may be unreadable: its facts are absent then.
    if (!(error instanceof SpeedgridError) || error.code === 'link_lost') throw error
  }
  splitter.end()
}
