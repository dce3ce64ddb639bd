import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Machine } from '../../machines/index.ts'
import type { ServeArguments } from './arguments.ts'
import type { Log } from './log.ts'
import type { MemoryPlan } from './memory.ts'

const DEFAULT_SECONDS = 3

/** The whole start in seconds; SPEEDGRID_DEMO_START_SECONDS overrides it. */
export function startSeconds(environment: NodeJS.ProcessEnv = process.env): number {
  const wanted = Number(environment['SPEEDGRID_DEMO_START_SECONDS'])
  return environment['SPEEDGRID_DEMO_START_SECONDS'] && Number.isFinite(wanted) && wanted >= 0 ? wanted : DEFAULT_SECONDS
}

interface StartupOptions {
  machine: Machine
  wanted: ServeArguments
  memory: MemoryPlan
  log: Log
  seconds: number
}

/** Why a start fails before the engine does anything: the lines vLLM prints, or undefined. */
export async function findEarlyProblem({ machine, wanted }: StartupOptions): Promise<string | undefined> {
  if (await isPortTaken(wanted.host ?? '0.0.0.0', wanted.port)) {
    return 'OSError: [Errno 98] Address already in use'
  }
  if (/^[./~]/.test(wanted.model)) {
    if (!existsSync(join(wanted.model, 'config.json'))) {
      return (
        "huggingface_hub.errors.HFValidationError: Repo id must be in the form 'repo_name' or 'namespace/repo_name': " +
        `'${wanted.model}'. Use \`repo_type\` argument if needed.`
      )
    }
  } else if (wanted.model !== machine.model) {
    return (
      `OSError: ${wanted.model} is not a local folder and is not a valid model identifier listed on 'https://huggingface.co/models'\n` +
      `(this demo machine has one model: ${machine.model})`
    )
  }
  if (wanted.tensorParallel > machine.gpus.length) {
    return (
      `ValueError: World size (${wanted.tensorParallel}) is larger than the number of available GPUs (${machine.gpus.length}) in this ` +
      "node. If this is intentional and you are using:\n- ray, set '--distributed-executor-backend ray'."
    )
  }
  if (typeof wanted.maxModelLen === 'number' && wanted.maxModelLen > machine.maxModelLen) {
    return (
      `Value error, User-specified max_model_len (${wanted.maxModelLen}) is greater than the derived max_model_len ` +
      `(max_position_embeddings=${machine.maxModelLen}.0 or model_max_length=None in model's config.json).`
    )
  }
  return undefined
}

function isPortTaken(host: string, port: number): Promise<boolean> {
  return new Promise((done) => {
    const probe = createServer()
    probe.once('error', () => done(true))
    probe.listen({ host, port }, () => probe.close(() => done(false)))
  })
}

/** Milestones up to the engine's start: imports and arguments. */
export async function logImports({ machine, wanted, log, seconds }: StartupOptions): Promise<void> {
  await delay(seconds * 0.15 * 1000)
  log.line('api', 'utils.py:299', '')
  log.line('api', 'utils.py:299', `       █     █     █▄   ▄█       version ${machine.vllmVersion}`)
  log.line('api', 'utils.py:299', ` ▄▄ ▄█ █     █     █ ▀▄▀ █       model   ${wanted.model}`)
  log.line('api', 'utils.py:299', '')
  log.line('api', 'utils.py:233', `non-default args: ${wanted.nonDefault}`)
  log.line('api', 'api_server.py:1870', `vLLM server version ${machine.vllmVersion} (stand-in of Speedgrid's demo lab machine)`)
}

/** Milestones of the configuration, once model and port are known to be usable. */
export async function logConfiguration({ machine, log, memory, seconds }: StartupOptions): Promise<void> {
  await delay(seconds * 0.05 * 1000)
  log.line('api', 'model.py:549', `Resolved architecture: ${machine.architecture}`)
  log.line('api', 'model.py:1678', `Using max model len ${memory.maxModelLen}`)
  log.line('api', 'scheduler.py:238', 'Chunked prefill is enabled with max_num_batched_tokens=8192.')
}

/** Milestones of the engine, from its first line to the end of its warm-up. `false`: it failed, and said why. */
export async function logEngineStart({ machine, wanted, log, memory, seconds }: StartupOptions): Promise<boolean> {
  const wait = (share: number) => delay(seconds * share * 1000)
  const engine = (file: string, message: string) => log.line('engine', file, message)
  engine(
    'core.py:105',
    `Initializing a V1 LLM engine (v${machine.vllmVersion}) with config: model='${wanted.model}', dtype=torch.bfloat16, ` +
      `max_seq_len=${memory.maxModelLen}, tensor_parallel_size=${wanted.tensorParallel}, quantization=None, max_num_seqs=${wanted.maxNumSeqs}`,
  )
  engine(
    'parallel_state.py:1408',
    `world_size=${wanted.tensorParallel} rank=0 local_rank=0 distributed_init_method=tcp://127.0.0.1:0 backend=nccl`,
  )
  await wait(0.08)
  engine('gpu_model_runner.py:4062', `Starting to load model ${wanted.model}...`)
  engine(
    'cuda.py:351',
    `Using ${machine.attentionBackend} attention backend out of potential backends: ('FLASH_ATTN', 'FLASHINFER', 'TRITON_ATTN')`,
  )
  await bars(
    log,
    4,
    seconds * 0.2,
    (done, of) =>
      `Loading safetensors checkpoint shards: ${String(Math.round((done / of) * 100)).padStart(3)}% Completed | ${done}/${of} [00:0${done}<00:00,  1.${done}it/s]`,
  )
  engine('default_loader.py:291', `Loading weights took ${(seconds * 0.2).toFixed(2)} seconds`)
  if (wanted.speculation) engine('gpu_model_runner.py:4123', 'Loading drafter model...')
  engine(
    'gpu_model_runner.py:4159',
    `Model loading took ${machine.weightsGiBPerGpu} GiB memory and ${(seconds * 0.28).toFixed(6)} seconds`,
  )
  await wait(0.1)
  engine('backends.py:872', `Dynamo bytecode transform time: ${(seconds * 0.08).toFixed(2)} s`)
  engine('backends.py:302', 'Directly load the compiled graph(s) for compile range (1, 8192) from the cache, took 0.31 s')
  engine('monitor.py:48', `torch.compile took ${(seconds * 0.1).toFixed(2)} s in total`)
  await wait(0.07)
  engine('monitor.py:76', `Initial profiling/warmup run took ${(seconds * 0.07).toFixed(2)} s`)
  if (memory.problem?.includes('No available memory')) return failEngine(log, memory.problem)
  engine('gpu_worker.py:456', `Available KV cache memory: ${memory.availableKvGiB.toFixed(2)} GiB`)
  if (memory.problem) return failEngine(log, memory.problem)
  engine(
    'kv_cache_utils.py:1711',
    `GPU KV cache size: ${memory.kvTokens.toLocaleString('en-US')} tokens, Maximum concurrency for ` +
      `${memory.maxModelLen.toLocaleString('en-US')} tokens per request: ${(memory.kvTokens / memory.maxModelLen).toFixed(2)}x`,
  )
  await bars(
    log,
    5,
    seconds * 0.25,
    (done, of) =>
      `Capturing CUDA graphs (mixed prefill-decode, PIECEWISE): ${String(Math.round((done / of) * 100)).padStart(3)}%|${'█'.repeat(done * 2).padEnd(10)}| ${done * 7}/${of * 7} [00:0${done}<00:00, 18.2it/s]`,
  )
  engine('gpu_model_runner.py:5246', `Graph capturing finished in ${Math.max(1, Math.round(seconds * 0.25))} secs, took 0.62 GiB`)
  engine('core.py:284', `init engine (profile, create kv cache, warmup model) took ${(seconds * 0.5).toFixed(2)} seconds`)
  return true
}

function failEngine(log: Log, problem: string): false {
  log.line('engine', 'core.py:1003', 'EngineCore failed to start.', 'ERROR')
  log.line(
    'engine',
    'core.py:1003',
    'Traceback (most recent call last):\n  File "vllm/v1/engine/core.py", line 994, in run_engine_core',
    'ERROR',
  )
  log.line('engine', 'core.py:1003', problem, 'ERROR')
  return false
}

/** What the API server prints last when its engine has failed; the cause is further up. */
export const ENGINE_FAILED =
  'Traceback (most recent call last):\n  File "vllm/entrypoints/openai/api_server.py", line 1904, in run_server\n' +
  'RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}'

async function bars(log: Log, steps: number, seconds: number, text: (done: number, of: number) => string): Promise<void> {
  for (let done = 0; done <= steps; done += 1) {
    log.bar(text(done, steps), done === steps)
    if (done < steps) await delay((seconds / steps) * 1000)
  }
}
