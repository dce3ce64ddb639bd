import { commandView } from '../../../shared/command/index.ts'
import type { ServersApi } from '../../../shared/contract/servers.ts'
import type { Engine } from '../types.ts'
import { createPushStream } from './feed/stream.ts'
import type { LaunchManager } from './launches/launch-manager.ts'
import type { SavedLaunches } from './launches/saved-launches.ts'

/** What a slow reader of a log may be behind; older text is left out, and said to be. */
const LOG_WAITING_CHARS = 4 * 1024 * 1024
/** A piece of text that goes out at once. */
const LOG_PIECE_CHARS = 256 * 1024

interface Deps {
  engine: Pick<Engine, 'servers'>
  launches: LaunchManager
  saved: SavedLaunches
  sawServers: (host: string, running: number) => void
}

export function createServersApi({ engine, launches, saved, sawServers }: Deps): ServersApi {
  const { servers } = engine

  async function list(host: string) {
    const found = await servers.list(host)
    sawServers(host, found.filter(({ state }) => state === 'ready' || state === 'starting').length)
    return found
  }

  return {
    list: ({ host }) => list(host),
    parse: async (command) => commandView(command),
    launch: async (input) => {
      const started = launches.launch(input)
      saved.used(input)
      return started
    },
    cancelLaunch: async ({ launchId }) => launches.cancel(launchId),
    launches: async () => launches.list(),
    watchLaunch: ({ launchId }, signal) => launches.watch(launchId, signal),
    log({ host, server, tailBytes }, signal) {
      const ended = new AbortController()
      const stream = createPushStream<{ text: string }>(AbortSignal.any([signal, ended.signal]), foldText)
      const options = { follow: true, signal: AbortSignal.any([signal, ended.signal]), tailBytes }
      servers
        .log(host, server, (text) => stream.push({ text }), options)
        .then(
          () => stream.end(),
          (error: unknown) => stream.end(error),
        )
      return (async function* () {
        try {
          yield* stream
        } finally {
          ended.abort()
        }
      })()
    },
    stop: async ({ host, server }) => {
      const report = await servers.stop(host, server)
      void list(host).catch(() => undefined)
      return report
    },
    adopt: async ({ host, port, apiKey, name }) => {
      const options = {
        ...(apiKey === undefined || apiKey === '' ? {} : { apiKey }),
        ...(name === undefined || name === '' ? {} : { name }),
      }
      const server = await servers.adopt(host, port, options)
      void list(host).catch(() => undefined)
      return server
    },
    savedLaunches: async () => saved.list(),
    saveLaunch: async (input) => saved.save(input),
    removeLaunch: async ({ id }) => saved.remove(id),
  }
}

/** Pieces are joined to bigger ones; of too much only the end is kept, from a line's beginning. */
export function foldText(waiting: { text: string }[], next: { text: string }): { text: string }[] {
  const last = waiting.at(-1)
  const joined =
    last !== undefined && last.text.length + next.text.length <= LOG_PIECE_CHARS
      ? [...waiting.slice(0, -1), { text: last.text + next.text }]
      : [...waiting, next]
  const total = joined.reduce((sum, { text }) => sum + text.length, 0)
  if (total <= LOG_WAITING_CHARS) return joined
  const text = joined.map((piece) => piece.text).join('')
  const kept = text.slice(-LOG_WAITING_CHARS / 2)
  const from = kept.indexOf('\n') + 1
  const left = text.length - kept.length + from
  return [{ text: `\n[${String(left)} characters are left out here: this page could not keep up]\n${kept.slice(from)}` }]
}
