import { type Reserve, keepReserve } from './reserve.ts'
import { renameSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { SpeedgridError } from '../../../shared/model/error.ts'
import type { DriverInput, Job } from '../../../shared/model/job.ts'
import { createRedactor } from '../../../shared/secrets/index.ts'
import type { SpoolEntry } from '../../../shared/model/spool.ts'
import { gpuSampleSchema } from '../../../shared/model/telemetry.ts'
import { startNvidiaSmiSampler } from '../sample/nvidia-smi-sampler.ts'
import { createDriverClient } from '../stream/client.ts'
import { DRIVER_VERSION } from '../version.ts'
import { carryOut } from './carry-out.ts'
import { type Clock, createClock } from './clock.ts'
import { type Commands, createCommands } from './commands.ts'
import { watchControlFile } from './control-file.ts'
import { createGpuFeed, type GpuFeed } from './gpu-feed.ts'
import { ownIdentity } from './identity.ts'
import { readInput } from './input-lines.ts'
import { watchPortOwner } from './port-owner.ts'
import { createLoadProbe } from './load-probe.ts'
import { readJob } from './read-job.ts'
import { readServerSecrets } from './server-secrets.ts'
import { watchTunnel } from './tunnel-watch.ts'
import { createSpool, type Spool } from './spool.ts'

/** A driver whose engine never says the secret would wait for ever. */
const SECRET_WAIT_MS = 30_000

interface Secret {
  apiKey?: string
}

interface Input {
  secret: Promise<Secret>
  tunnelLoopDelayP99Ms: () => number | undefined
  close: () => void
}

function listen(job: Job, clock: Clock, commands: Commands, gpu: GpuFeed): Input {
  let tunnelLoopDelayP99Ms: number | undefined
  let resolveSecret: (secret: Secret) => void = () => undefined
  const secret = new Promise<Secret>((resolve) => (resolveSecret = resolve))
  const tunnel = job.place === 'tunnel' && !job.dryRun ? watchTunnel({ clock, commands }) : undefined
  const onInput = (input: DriverInput) => {
    // Its lines about the tunnel begin when the driver has started, the secret comes before.
    if (input.kind !== 'secret') tunnel?.heard()
    if (input.kind === 'secret') resolveSecret(input.apiKey === undefined ? {} : { apiKey: input.apiKey })
    else if (input.kind === 'tunnel') tunnelLoopDelayP99Ms = input.loopDelayP99Ms
    else if (input.kind === 'limit') commands.fail(input.reason, 'file_limit')
    else if (input.kind === 'link') tunnel?.say(input)
    else {
      const gpus = input.gpus.flatMap((each) => {
        const parsed = gpuSampleSchema.safeParse(each)
        return parsed.success ? [parsed.data] : []
      })
      // The engine's wall clock is this machine's: the driver runs beside it.
      gpu.add({ atMs: clock.now() - (clock.wallMs() - input.wallMs), gpus })
    }
  }
  const onEnd = () => {
    resolveSecret({})
    // A driver beside the engine lives as long as the engine; one on a host goes on alone.
    if (job.place !== 'host') commands.end('interrupt', 'the engine has ended')
  }
  const stopReading = readInput(process.stdin, { onInput, onEnd })
  const close = () => {
    tunnel?.stop()
    stopReading()
  }
  setTimeout(() => resolveSecret({}), SECRET_WAIT_MS).unref()
  return { secret, tunnelLoopDelayP99Ms: () => tunnelLoopDelayP99Ms, close }
}

/** Writes to the spool until it fails; the first failure ends the run, and only its `end` is still tried, in the room of the reserve. */
function guardedWrite(
  spool: Spool,
  commands: Commands,
  reserve: Reserve,
): { write: (entry: SpoolEntry) => void; failure: () => SpeedgridError | undefined } {
  let failure: SpeedgridError | undefined
  const write = (entry: SpoolEntry) => {
    if (failure && entry.kind !== 'end') return
    try {
      spool.write(failure && entry.kind === 'end' ? { ...entry, error: failure.toInfo() } : entry)
    } catch (error) {
      if (!(error instanceof SpeedgridError)) throw error
      failure ??= error
      reserve.release()
      commands.end('interrupt', error.message)
    }
  }
  return { write, failure: () => failure }
}

function writeIdentity(folder: string): void {
  const path = join(folder, 'driver.json')
  writeFileSync(`${path}.new`, `${JSON.stringify(ownIdentity())}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

function startGpuSampling(job: Job, gpu: GpuFeed, write: (entry: SpoolEntry) => void): () => Promise<void> {
  if (job.gpuTelemetry !== 'self' || job.dryRun) return () => Promise.resolve()
  const sampler = startNvidiaSmiSampler({
    onReading: (gpus, atMs) => gpu.add({ atMs, gpus }),
    onUnavailable: (reason) => write({ kind: 'event', level: 'warn', text: `no GPU telemetry: ${reason}` }),
  })
  return () => sampler.dispose()
}

/** A bug of ours ends the run with a line, not with a stack trace and a spool that just stops. */
function endOnBug(spool: Spool): void {
  const end = (error: unknown) => {
    const cause = `The driver failed: ${error instanceof Error ? error.message : String(error)}`
    try {
      spool.write({ kind: 'end', state: 'failed', reason: cause, error: { code: 'internal', cause, evidence: [] } })
    } catch {
      // said on stderr below
    }
    process.stderr.write(`speedgrid-driver: ${cause}\n`)
    process.exit(1)
  }
  process.on('uncaughtException', end)
  process.on('unhandledRejection', end)
}

/** Runs the job of a run folder to its end. Returns the exit code: 0 finished, stopped or interrupted; 1 failed. */
export async function runDriver(folder: string): Promise<number> {
  const job = readJob(folder)
  const clock = createClock()
  const startMs = clock.now()
  const commands = createCommands()
  const gpu = createGpuFeed(job.gpuIndexes)
  const spool = createSpool({ path: join(folder, 'spool.jsonl'), firstLine: job.firstLine, clock, startMs })
  writeIdentity(folder)
  const { write: writeEntry, failure } = guardedWrite(spool, commands, keepReserve(join(folder, 'reserve')))
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    // A detached driver outlives the terminal it was started from.
    process.on(signal, () =>
      signal === 'SIGHUP' && job.place === 'host' ? undefined : commands.end('interrupt', `ended by ${signal}`),
    )
  }
  endOnBug(spool)
  const input = listen(job, clock, commands, gpu)
  const { apiKey } = await input.secret
  const secrets = [...(apiKey ? [apiKey] : []), ...readServerSecrets(job.serverProcess)]
  const redactor = createRedactor(secrets)
  // Whatever a server says may come back in a reason, an event or a label: it is cleaned where it leaves this program.
  const write = (entry: SpoolEntry) => writeEntry(redactor.value(entry))

  write({
    kind: 'hello',
    runId: job.runId,
    epoch: job.epoch,
    place: job.place,
    driverVersion: DRIVER_VERSION,
    nodeVersion: process.version,
    hostName: hostname(),
    pid: process.pid,
  })
  let lastAckMs = clock.now()
  const stopControl = watchControlFile({
    path: join(folder, 'control.jsonl'),
    clock,
    onControl: (control) => {
      if (control.kind === 'ack') lastAckMs = clock.now()
      else commands.take(control)
    },
    onUnknown: () => write({ kind: 'event', level: 'warn', text: "a line of the control file isn't understood" }),
  })
  const portOwner = watchPortOwner(job)
  const client = createDriverClient({
    ...job.target,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(portOwner && { portOwner }),
  })
  const stopGpu = startGpuSampling(job, gpu, write)
  const end = await carryOut({
    job,
    client,
    clock,
    commands,
    gpu,
    probe: createLoadProbe(),
    write,
    lastAckMs: () => lastAckMs,
    tunnelLoopDelayP99Ms: input.tunnelLoopDelayP99Ms,
    redact: redactor.text,
  })
  stopControl()
  input.close()
  client.dispose()
  await stopGpu()
  spool.close()
  const failed = failure()
  if (failed) throw failed
  return end.state === 'failed' ? 1 : 0
}
