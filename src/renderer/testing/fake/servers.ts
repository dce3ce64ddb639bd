import { commandView, startableCommand, withRedacted } from '../../../shared/command/index.ts'
import type { LaunchView, SavedLaunch, ServersApi, ServerView } from '../../../shared/contract/servers.ts'
import { SpeedgridError } from '../../../shared/model/error.ts'
import { shownCommand } from '../../../shared/secrets/index.ts'
import type { Server } from '../../../shared/model/server.ts'
import { replace } from '../../state/reduce.ts'
import { createFakeFeed, type FakeFeed, pause } from './feed.ts'
import { EVIL, minutesAgo } from './hosts-data.ts'

const COMMAND = `vllm serve Qwen/Qwen3.5-27B-FP8 \\\n  --served-model-name qwen \\\n  --max-model-len 262144 \\\n  --gpu-memory-utilization 0.93`
const server = (host: string, id: string, port: number): Server => ({
  id,
  host,
  port,
  name: 'qwen',
  folder: `~/.cache/speedgrid/servers/${id}`,
  logPath: `~/.cache/speedgrid/servers/${id}/server.log`,
  launchCommand: COMMAND,
  startedArgv: ['/home/ann/venvs/vllm-0.24/bin/vllm', 'serve', 'Qwen/Qwen3.5-27B-FP8'],
  adopted: false,
  hasApiKey: true,
  startedAt: minutesAgo(96),
})

const PHASES = [
  ['starting', 0.2, 'vllm serve was started as process 4711'],
  ['importing', 1, 'vLLM 0.24.1'],
  ['loading weights', 2, '12 of 12 shards'],
  ['compiling', 5, 'torch.compile, cache miss'],
  ['KV cache', 8, '1,250,000 tokens'],
  ['capturing graphs', 9, '51 of 51'],
  ['ready', 11, 'one token was answered in 38 ms'],
] as const

/** Servers and launches that take their (short) time; a command with the word `fail` fails as a real one would. */
export function createFakeServers({ delays = 1 }: { delays?: number } = {}): ServersApi {
  const servers: ServerView[] = [
    { server: server('gpu-lab-1', 'srv-qwen-1', 8000), state: 'ready', evidence: 'answers on port 8000', health: 'ok' },
  ]
  const launches = new Map<string, FakeFeed<LaunchView, LaunchView>>()
  const saved = new Map<string, SavedLaunch>([
    [
      'l1',
      {
        id: 'l1',
        name: 'Qwen 27B FP8, MTP 3',
        command: COMMAND,
        environment: '/home/ann/venvs/vllm-0.24/bin/vllm',
        lastUsedAt: minutesAgo(96),
      },
    ],
    [
      'l2',
      {
        id: 'l2',
        name: 'gpt-oss 120B',
        command: 'vllm serve openai/gpt-oss-120b --tensor-parallel-size 4',
        lastUsedAt: minutesAgo(60 * 26),
      },
    ],
  ])
  const feedOf = (launchId: string) => {
    const feed = launches.get(launchId)
    if (feed === undefined) throw new SpeedgridError('not_found', `There is no launch ${launchId}.`)
    return feed
  }
  const advance = async (launchId: string, fails: boolean) => {
    const feed = feedOf(launchId)
    const startedMs = Date.now()
    const started = server(feed.value.host, `srv-${feed.value.command.includes('huge') ? 'huge-' : ''}${launchId}`, 8001)
    for (const [phase, atSeconds, detail] of PHASES) {
      while (Date.now() - startedMs < atSeconds * 1000 * delays) {
        await pause(200 * delays)
        if (feed.value.state !== 'starting') return
        feed.push({ ...feed.value, seconds: (Date.now() - startedMs) / 1000 / delays })
      }
      feed.push({
        ...feed.value,
        seconds: atSeconds,
        server: started,
        phases: [...feed.value.phases, { phase, atSeconds, detail }],
        known: {
          name: 'vllm',
          version: '0.24.1',
          servedModel: 'qwen',
          kvTokens: 1_250_000,
          maxModelLen: 262_144,
          maxNumSeqs: 256,
        },
      })
      if (fails && phase === 'KV cache') {
        feed.push({
          ...feed.value,
          state: 'failed',
          error: {
            code: 'server_failed',
            cause: 'The KV cache does not fit: 3.1 GiB are left, the model length of 262,144 tokens needs 8.2 GiB.',
            evidence: [
              "ValueError: To serve at least one request with the model's max seq len (262144), 8.2 GiB KV cache is needed, which is larger than the available KV cache memory (3.1 GiB).",
            ],
            nextStep: 'Lower --max-model-len to 98,304 or raise --gpu-memory-utilization.',
          },
        })
        return
      }
    }
    servers.push({ server: started, state: 'ready', evidence: 'answers on port 8001', health: 'ok' })
    feed.push({ ...feed.value, state: 'ready', server: started })
  }
  return {
    list: ({ host }) => Promise.resolve(servers.filter((view) => view.server.host === host)),
    parse: (command) => Promise.resolve(commandView(command)),
    launch: ({ host, text, secrets }) => {
      startableCommand({ text, secrets })
      const command = shownCommand(withRedacted(text, secrets))
      const launchId = `launch-${String(launches.size + 1)}`
      launches.set(
        launchId,
        createFakeFeed<LaunchView, LaunchView>(
          { launchId, host, command, state: 'starting', startedAt: new Date().toISOString(), seconds: 0, phases: [] },
          replace,
        ),
      )
      void advance(launchId, command.includes('fail'))
      return Promise.resolve({ launchId })
    },
    cancelLaunch: ({ launchId }) => {
      const feed = feedOf(launchId)
      feed.push({ ...feed.value, state: 'cancelled' })
      return Promise.resolve()
    },
    launches: () => Promise.resolve([...launches.values()].map((feed) => feed.value)),
    watchLaunch: ({ launchId }, signal) => feedOf(launchId).watch(signal),
    log: async function* ({ server: id }, signal) {
      if (id.includes('huge')) {
        for (let at = 0; at < 200_000 && !signal.aborted; at += 1000)
          yield {
            text: Array.from({ length: 1000 }, (_, line) => `INFO line ${String(at + line)} of a log that is long\n`).join(''),
          }
        return
      }
      for (let line = 1; !signal.aborted; line += 1) {
        const text =
          line % 40 === 7
            ? EVIL
            : `\u001b[32mINFO\u001b[0m 10-07 18:${String(line % 60).padStart(2, '0')}:11 [loggers.py:248] Engine 000: Avg generation throughput: ${String(1200 + line)}.4 tokens/s, Running: 16 reqs, GPU KV cache usage: 12.${String(line % 10)}%`
        yield { text: `${text}\n` }
        if (line > 200) await pause(400, signal)
      }
    },
    stop: async ({ host, server: id }) => {
      await pause(1200 * delays)
      const at = servers.findIndex((view) => view.server.host === host && view.server.id === id)
      if (at !== -1) servers.splice(at, 1)
      return {
        stopped: true,
        signalled: [
          { pid: 4711, signal: 'SIGTERM', command: 'vllm serve' },
          { pid: 4790, signal: 'SIGTERM', command: 'VLLM::EngineCore' },
        ],
        left: [],
        portFree: true,
        gpuMemory: [{ index: 0, beforeMiB: 131_400, afterMiB: 4 }],
        seconds: 6.2,
        notes: [],
      }
    },
    adopt: ({ host, port, name }) => {
      const { folder: _folder, logPath: _log, ...rest } = server(host, `adopted-${String(port)}`, port)
      const adopted = { ...rest, adopted: true, hasApiKey: false, ...(name === undefined ? {} : { name }) }
      servers.push({ server: adopted, state: 'ready', evidence: `answers on port ${String(port)}`, health: 'ok' })
      return Promise.resolve(adopted)
    },
    savedLaunches: () => Promise.resolve([...saved.values()]),
    saveLaunch: (input) => {
      const id = input.id ?? `l${String(saved.size + 1)}`
      const launch = {
        id,
        name: input.name,
        command: withRedacted(input.text, input.secrets),
        ...(input.environment === undefined ? {} : { environment: input.environment }),
      }
      saved.set(id, launch)
      return Promise.resolve(launch)
    },
    removeLaunch: ({ id }) => {
      saved.delete(id)
      return Promise.resolve()
    },
  }
}
