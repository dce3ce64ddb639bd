import type { EngineApi } from '../../shared/contract/api.ts'
import type { AppApi, DemoView, Settings } from '../../shared/contract/app.ts'
import type { RunRow, RunsApi, RunsNow } from '../../shared/contract/runs.ts'
import type { SweepsApi } from '../../shared/contract/sweeps.ts'
import { SpeedgridError } from '../../shared/model/error.ts'
import { reportFileName } from '../../shared/report/file-name.ts'
import { renderReport } from '../../shared/report/index.ts'
import { replace } from '../state/reduce.ts'
import { attemptOf, CONCURRENCY, CONTEXTS, KV_TOKENS, telemetry, verdictOf } from './fake/cells-data.ts'
import { createFakeFeed, pause } from './fake/feed.ts'
import { createFakeHosts } from './fake/hosts.ts'
import { hostileHosts, minutesAgo, richHosts } from './fake/hosts-data.ts'
import { createLiveSweep, type LiveSweep } from './fake/live-sweep.ts'
import { choicesOf, nowOf, pageOf } from './fake/run-list.ts'
import { liveRow, runDocument, RUNNING_ID, runRows } from './fake/runs-data.ts'
import { createFakeServers } from './fake/servers.ts'

export interface FakeOptions {
  /** `empty`: the first start. `hostile`: names and texts with bad intent. */
  scenario?: 'rich' | 'empty' | 'hostile'
  /** Runs in the history. */
  runs?: number
  /** Cells measured already of the sweep that is going on. */
  doneCells?: number
  /** 1: things take as long as they do in earnest; tests take less. */
  delays?: number
  /** Pace of the live sweep. */
  everyMs?: number
}

export interface FakeEngine {
  api: EngineApi
  sweep: LiveSweep
  dispose(): void
}

/** An engine with nothing behind it, for building and judging screens. Never shipped. */
export function createFakeEngine({
  scenario = 'rich',
  runs = 60,
  doneCells = 84,
  everyMs = 250,
  delays = 1,
}: FakeOptions = {}): FakeEngine {
  const isEmpty = scenario === 'empty'
  const wait: typeof pause = (ms, signal) => pause(ms * delays, signal)
  const sweep = createLiveSweep({ doneCells, everyMs })
  const rows = isEmpty ? [] : [liveRow(sweep.feed.value.doneCells), ...runRows(runs)]
  const { hosts, prompts, addDemo } = withDemo(scenario, wait)
  return {
    api: {
      app: createFakeApp(addDemo, wait),
      hosts,
      prompts,
      servers: createFakeServers({ delays }),
      sweeps: createFakeSweeps(sweep),
      ...createFakeRuns(rows),
    },
    sweep,
    dispose: sweep.dispose,
  }
}

function withDemo(scenario: FakeOptions['scenario'], wait: typeof pause) {
  const fake = createFakeHosts(scenario === 'empty' ? [] : scenario === 'hostile' ? hostileHosts() : richHosts(), wait)
  const addDemo = async () => {
    await fake.hosts.add({ name: 'demo', target: 'demo@127.0.0.1:40022' })
    await fake.hosts.connect({ name: 'demo' })
  }
  return { ...fake, addDemo }
}

function createFakeApp(addDemo: () => Promise<void>, wait: typeof pause): AppApi {
  let settings: Settings = { appearance: 'system', sendNode: false }
  const demo = createFakeFeed<DemoView, DemoView>({ state: 'off' }, replace)
  let known = [
    {
      line: '10.20.0.11 ssh-ed25519 AAAAC3Nza…',
      host: '10.20.0.11',
      keyType: 'ssh-ed25519',
      fingerprint: 'SHA256:3cYyDkMkXw7JxJ7GZVb2T9cX8h0pPqLr5mN1oQeUaKs',
    },
    {
      line: '[quad6000.lab.example]:2222 ecdsa-sha2-nistp256 AAAAE2Vj…',
      host: '[quad6000.lab.example]:2222',
      keyType: 'ecdsa-sha2-nistp256',
      fingerprint: 'SHA256:Vd0hT1jUeX4mCq9rYw2sKbN7pLz3aGfEo8iQtR5uMnA',
    },
  ]
  let kept = [
    { path: '~/.cache/speedgrid/node-v24.22.3-linux-x64', bytes: 127_000_000, what: 'Node 24.22.3 for the driver' },
    { path: '~/.cache/speedgrid/runs/run-live', bytes: 8_412_000, what: 'run folder of a driver that is running' },
    { path: '~/.cache/speedgrid/servers/srv-qwen-1', bytes: 1_900_000, what: 'folder of a server that is running' },
  ]
  return {
    info: () =>
      Promise.resolve({
        version: '0.1.0',
        nodeVersion: 'v24.22.3',
        dataDir: '/home/ann/.local/share/speedgrid',
        platform: 'linux',
        chromium: '/usr/bin/chromium',
      }),
    settings: () => Promise.resolve(settings),
    changeSettings: ({ baselineRunId, ...change }) => {
      const { baselineRunId: before, ...rest } = settings
      const baseline = baselineRunId === undefined ? before : (baselineRunId ?? undefined)
      settings = { ...rest, ...definedOf(change), ...(baseline === undefined ? {} : { baselineRunId: baseline }) }
      return Promise.resolve(settings)
    },
    knownHosts: () => Promise.resolve(known),
    removeKnownHost: ({ line }) => {
      known = known.filter((it) => it.line !== line)
      return Promise.resolve()
    },
    keptOnHost: async ({ name }) => {
      await wait(400)
      if (name === 'old-dgx')
        throw new SpeedgridError('host_key_changed', 'The host key of old-dgx has changed.', {
          nextStep: 'Settle its key on the Hosts screen first.',
        })
      return name === 'gpu-lab-1' ? kept : []
    },
    removeKeptOnHost: ({ path }) => {
      if (path.includes('servers/'))
        throw new SpeedgridError('conflict', 'A server is running from this folder.', { nextStep: 'Stop the server first.' })
      kept = kept.filter((it) => it.path !== path)
      return Promise.resolve()
    },
    diagnostics: () =>
      Promise.resolve({
        fileName: 'speedgrid-diagnostics-2026-10-07.txt',
        text: 'Speedgrid 0.1.0\nNode v24.22.3 on linux x64\n\nSettings\n  appearance: system\n\nHosts\n  gpu-lab-1: connected\n',
      }),
    startDemo: async ({ machine }) => {
      demo.push({ state: 'starting', machine })
      await wait(1500)
      await addDemo()
      const ready: DemoView = {
        state: 'ready',
        machine,
        host: 'demo',
        command: 'vllm serve Qwen/Qwen3.5-27B-FP8 --served-model-name qwen --max-model-len 262144',
      }
      demo.push(ready)
      return ready
    },
    stopDemo: () => {
      demo.push({ state: 'off' })
      return Promise.resolve()
    },
    watchDemo: (signal) => demo.watch(signal),
  }
}

const definedOf = <Value extends object>(value: Value) =>
  Object.fromEntries(Object.entries(value).filter(([, it]) => it !== undefined)) as {
    [Key in keyof Value]: Exclude<Value[Key], undefined>
  }

function createFakeSweeps(sweep: LiveSweep): SweepsApi {
  return {
    dryRun: async ({ plan }) => {
      await pause(500)
      const numbers = (list: (number | 'max')[]) => list.map((it) => (it === 'max' ? 257_024 : it))
      const contexts = numbers(plan.contexts)
      if (contexts.some((context) => context > 257_024))
        throw new SpeedgridError(
          'plan',
          'A context does not fit: 300,000 + 4,096 tokens are more than the model length of 262,144.',
          { nextStep: 'Use max (= 251K) or less.' },
        )
      const cells = contexts.flatMap((contextTokens) =>
        plan.concurrency.map((concurrency) =>
          verdictOf(contextTokens, concurrency) === 'over'
            ? {
                contextTokens,
                concurrency,
                repeat: 1,
                verdict: 'over_capacity' as const,
                reason: 'needs more than the KV cache holds',
                neededTokens: concurrency * (contextTokens + plan.maxOutputTokens),
                kvTokens: KV_TOKENS,
              }
            : { contextTokens, concurrency, repeat: 1, verdict: 'run' as const },
        ),
      )
      return {
        facts: {
          name: 'vllm',
          version: '0.24.1',
          servedModel: 'qwen',
          model: 'Qwen/Qwen3.5-27B-FP8',
          maxModelLen: 262_144,
          kvTokens: KV_TOKENS,
          maxNumSeqs: 256,
          capabilities: { metrics: true, tokenize: true },
        },
        contexts,
        prefillContexts: numbers(plan.prefillContexts),
        cells,
        estimateSeconds: cells.filter((cell) => cell.verdict === 'run').length * (plan.seconds + 5),
        place: 'host',
      }
    },
    start: () => Promise.resolve({ runId: RUNNING_ID }),
    resume: ({ runId }) => {
      sweep.control('resume')
      return Promise.resolve({ runId })
    },
    control: (input) => {
      sweep.control(input.kind, 'contextTokens' in input ? input : undefined)
      return Promise.resolve()
    },
    watch: ({ runId }, signal) => {
      if (runId !== RUNNING_ID)
        throw new SpeedgridError('not_found', `There is no run ${runId}.`, { nextStep: 'The history lists every run.' })
      return sweep.feed.watch(signal)
    },
  }
}

function createFakeRuns(rows: RunRow[]): Pick<EngineApi, 'runs' | 'reports'> {
  let kept = rows
  const feed = createFakeFeed<RunsNow, RunsNow>(nowOf(kept, 1), replace)
  const put = (changed: RunRow[]) => {
    const byId = new Map(changed.map((row) => [row.id, row]))
    kept = kept.map((row) => byId.get(row.id) ?? row)
    feed.push(nowOf(kept, feed.value.version + 1))
  }
  const find = (runId: string) => {
    const row = kept.find((it) => it.id === runId)
    if (row === undefined)
      throw new SpeedgridError('not_found', `There is no run ${runId}.`, { nextStep: 'The history lists every run.' })
    return row
  }
  const change = (runId: string, part: Partial<RunRow>) => {
    put([{ ...find(runId), ...part }])
    return Promise.resolve()
  }
  const documentOf = (runId: string) => runDocument(find(runId))
  const runs: RunsApi = {
    watch: (signal) => feed.watch(signal),
    list: (query) => Promise.resolve(pageOf(kept, query)),
    row: ({ runId }) => Promise.resolve(find(runId)),
    choices: ({ trashed }) => Promise.resolve(choicesOf(kept, trashed)),
    document: ({ runId }) => Promise.resolve(documentOf(runId)),
    cell: ({ contextTokens, concurrency }) =>
      Promise.resolve({
        attempts:
          contextTokens === 0 && concurrency === 1
            ? [attemptOf(contextTokens, concurrency), attemptOf(contextTokens, concurrency, 2)]
            : [attemptOf(contextTokens, concurrency)],
        telemetry: telemetry(42, concurrency),
      }),
    telemetry: () => Promise.resolve(telemetry(1800, 16)),
    rename: ({ runId, name }) => change(runId, { name }),
    tag: ({ runId, tags }) => change(runId, { tags }),
    note: ({ runId, note }) => change(runId, { note }),
    trash: ({ runIds, trashed }) => {
      put(runIds.map((runId) => ({ ...find(runId), trashed })))
      return Promise.resolve()
    },
  }
  return {
    runs,
    reports: {
      render: ({ runId, format }) => {
        if (format === 'pdf' || format === 'png')
          throw new SpeedgridError('not_found', 'There is no Chromium here to print with.', {
            nextStep: 'Install Chromium, or export HTML and print that.',
          })
        const document = documentOf(runId)
        const mediaType = { html: 'text/html', md: 'text/markdown', csv: 'text/csv', json: 'application/json' }[format]
        return Promise.resolve({
          fileName: reportFileName(document, format),
          mediaType,
          encoding: 'utf8',
          data: renderReport(document, format),
        })
      },
      write: ({ path }) => Promise.resolve({ path }),
    },
  }
}

export { CONCURRENCY, CONTEXTS, minutesAgo }
