import { setTimeout as delay } from 'node:timers/promises'
import type { ChildProcess } from 'node:child_process'
import type { Server } from 'node:http'
import { createEngine } from '../replay/engine.ts'
import { createPrefixCache } from '../replay/prefix-cache.ts'
import { createScheduler } from '../replay/scheduler.ts'
import { createSpeeds } from '../replay/speeds.ts'
import { readFault } from '../fault.ts'
import { gpuStateFile, writeGpuUse } from '../gpu-state.ts'
import { createApi } from '../http/server.ts'
import type { Machine } from '../../machines/index.ts'
import type { ServeArguments } from './arguments.ts'
import { demoHostIsGone, spawnEngineCore } from './engine-core.ts'
import { createLog } from './log.ts'
import type { Log } from './log.ts'
import { planMemory } from './memory.ts'
import type { MemoryPlan } from './memory.ts'
import { ENGINE_FAILED, findEarlyProblem, logConfiguration, logEngineStart, logImports, startSeconds } from './startup.ts'

const STATE_MS = 500
const STATS_MS = 10_000
const WATCH_MS = 2000

/** Runs the server until it is told to end; resolves to the exit status where it fails to start. */
export async function serve(machine: Machine, wanted: ServeArguments, stateFolder: string): Promise<number> {
  const fault = readFault(process.env['SPEEDGRID_DEMO_FAULT'])
  const stateFile = gpuStateFile(stateFolder, process.pid)
  let core: ChildProcess | undefined
  let api: Server | undefined
  let ending = false
  const log = createLog({ api: process.pid, engine: () => core?.pid })
  const memory = planMemory(machine, wanted)
  const startup = { machine, wanted, memory, log, seconds: startSeconds() }

  const exitWith = (status: number) => {
    core?.kill('SIGKILL')
    process.exit(status)
  }
  const end = async (signal: string) => {
    if (ending) return
    ending = true
    log.line('api', 'launcher.py:124', `[shutdown] API server: shutdown triggered by ${signal}`)
    if (fault?.name === 'slow_sigterm') await delay(fault.amount * 1000)
    api?.close()
    api?.closeAllConnections()
    core?.kill('SIGTERM')
    await delay(300)
    log.line('api', 'launcher.py:131', 'Application shutdown complete.')
    exitWith(0)
  }
  process.on('SIGTERM', () => void end('SIGTERM'))
  process.on('SIGINT', () => void end('SIGINT'))
  setInterval(() => demoHostIsGone() && exitWith(1), WATCH_MS).unref()

  await logImports(startup)
  const early = await findEarlyProblem(startup)
  if (early) {
    log.plain(`(APIServer pid=${process.pid}) Traceback (most recent call last):`)
    for (const line of early.split('\n')) log.plain(`(APIServer pid=${process.pid}) ${line}`)
    return 1
  }
  await logConfiguration(startup)
  core = spawnEngineCore(stateFile, () => {
    if (ending) return
    log.line('api', 'core_client.py:678', 'Engine core proc EngineCore died unexpectedly, shutting down client.', 'ERROR')
    log.line('api', 'async_llm.py:702', 'EngineDeadError: EngineCore encountered an issue.', 'ERROR')
    process.exit(1)
  })
  if (!(await logEngineStart(startup))) {
    ending = true
    for (const line of ENGINE_FAILED.split('\n')) log.plain(`(APIServer pid=${process.pid}) ${line}`)
    core.kill('SIGTERM')
    return 1
  }
  api = await open({ machine, wanted, memory, log, stateFile, enginePid: core.pid ?? 0, onFatal: dieServing })
  return new Promise(() => {}) // a signal ends the process

  function dieServing(): void {
    ending = true
    log.line('engine', 'core.py:1012', 'EngineCore encountered a fatal error.', 'ERROR')
    log.line('engine', 'core.py:1012', 'torch.AcceleratorError: CUDA error: an illegal memory access was encountered', 'ERROR')
    log.line(
      'api',
      'async_llm.py:702',
      'EngineDeadError: EngineCore encountered an issue. See stack trace (above) for the root cause.',
      'ERROR',
    )
    exitWith(1)
  }
}

interface OpenOptions {
  machine: Machine
  wanted: ServeArguments
  memory: MemoryPlan
  log: Log
  stateFile: string
  enginePid: number
  onFatal(): void
}

async function open(options: OpenOptions): Promise<Server> {
  const { machine, wanted, memory, log } = options
  const speculation = wanted.speculation && machine.speculation
  const scheduler = createScheduler({
    speeds: createSpeeds(machine),
    cache: createPrefixCache(wanted.prefixCaching ? memory.kvTokens : 0),
    kvTokens: memory.kvTokens,
    maxSequences: wanted.maxNumSeqs,
    acceptanceLength: speculation?.acceptanceLength ?? 1,
    draftTokens: speculation?.draftTokens ?? 0,
  })
  const engine = createEngine(scheduler)
  const environmentKey = process.env['VLLM_API_KEY']
  const keys = wanted.apiKeys.length > 0 ? wanted.apiKeys : environmentKey ? [environmentKey] : []
  const server = createApi({
    engine,
    machine: machine.name,
    version: machine.vllmVersion,
    model: wanted.model,
    servedNames: wanted.servedNames,
    maxModelLen: memory.maxModelLen,
    kvTokens: memory.kvTokens,
    gpuMemoryUtilization: wanted.gpuMemoryUtilization,
    speculative: speculation !== undefined,
    reasoning: wanted.reasoning,
    promptTokensDetails: wanted.promptTokensDetails,
    disableLogStats: wanted.disableLogStats,
    apiKeys: keys,
    fault: readFault(process.env['SPEEDGRID_DEMO_FAULT']),
    onFatal: () => options.onFatal(),
  })
  const host = wanted.host ?? '0.0.0.0'
  log.line('api', 'api_server.py:1944', `Starting vLLM server on http://${host}:${wanted.port}`)
  log.line('api', 'launcher.py:38', 'Available routes are:')
  for (const route of [
    '/health, Methods: GET',
    '/metrics, Methods: GET',
    '/tokenize, Methods: POST',
    '/v1/models, Methods: GET',
  ]) {
    log.line('api', 'launcher.py:47', `Route: ${route}`)
  }
  await new Promise<void>((done) => server.listen({ host, port: wanted.port, backlog: 2048 }, done))
  log.plain(`(APIServer pid=${process.pid}) INFO:     Started server process [${process.pid}]`)
  log.plain(`(APIServer pid=${process.pid}) INFO:     Waiting for application startup.`)
  log.plain(`(APIServer pid=${process.pid}) INFO:     Application startup complete.`)
  report(options, engine.scheduler)
  return server
}

/** Tells the stand-in nvidia-smi how busy the GPUs are, and the log how fast it goes. */
function report(options: OpenOptions, scheduler: ReturnType<typeof createScheduler>): void {
  const { wanted, memory, log, stateFile, enginePid } = options
  const gpuIndexes = Array.from({ length: wanted.tensorParallel }, (_unused, index) => index)
  const tell = () => {
    const { running } = scheduler
    const busy = running === 0 ? 0 : Math.min(1, 0.55 + 0.065 * Math.log2(running + 1))
    writeGpuUse(stateFile, { enginePid, gpuIndexes, memoryMiB: memory.usedMiBPerGpu, busy, atMs: Date.now() })
  }
  tell()
  setInterval(tell, STATE_MS).unref()
  let before = { ...scheduler.counters }
  setInterval(() => {
    const { counters, running, waiting, kvUsage } = scheduler
    const rate = (now: number, then: number) => ((now - then) / (STATS_MS / 1000)).toFixed(1)
    if (counters.generationTokens === before.generationTokens && running === 0) return
    const hits = counters.prefixQueries > 0 ? (counters.cachedTokens / counters.prefixQueries) * 100 : 0
    log.line(
      'api',
      'loggers.py:259',
      `Engine 000: Avg prompt throughput: ${rate(counters.promptTokens, before.promptTokens)} tokens/s, Avg generation throughput: ` +
        `${rate(counters.generationTokens, before.generationTokens)} tokens/s, Running: ${running} reqs, Waiting: ${waiting} reqs, ` +
        `GPU KV cache usage: ${(kvUsage * 100).toFixed(1)}%, Prefix cache hit rate: ${hits.toFixed(1)}%`,
    )
    before = { ...counters }
  }, STATS_MS).unref()
}
