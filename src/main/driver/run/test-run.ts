import type { Attempt } from '../../../shared/model/cell.ts'
import { jobSchema } from '../../../shared/model/job.ts'
import { type PlanInput, planSchema } from '../../../shared/model/plan.ts'
import { type SpoolEntry, spoolLineSchema } from '../../../shared/model/spool.ts'
import { createDriverClient } from '../stream/client.ts'
import { carryOut } from './carry-out.ts'
import { type Clock, createClock } from './clock.ts'
import { type Commands, createCommands } from './commands.ts'
import { createGpuFeed, type GpuFeed } from './gpu-feed.ts'
import { createLoadProbe, type LoadProbe } from './load-probe.ts'
import type { RunEnd } from './run-state.ts'
import type { FakeClock } from './test-clock.ts'
import type { FakeServer } from './test-fake-server.ts'
import type { TestServer } from './test-server.ts'

export interface TestRun {
  lines: SpoolEntry[]
  end: RunEnd
}

export interface TestJobOptions {
  job?: object
  apiKey?: string
  onLine?: (line: SpoolEntry, commands: Commands) => void
  gpu?: GpuFeed
  probe?: LoadProbe
}

const planOf = (plan: PlanInput, job: object | undefined, baseUrl: string) =>
  jobSchema.parse({
    schema: 'speedgrid.job/1',
    runId: 'test-run',
    epoch: 1,
    plan: planSchema.parse(plan),
    target: { baseUrl },
    place: 'local',
    ...job,
  })

function recorder(clock: Clock, commands: Commands, onLine: TestJobOptions['onLine']) {
  const lines: SpoolEntry[] = []
  const startMs = clock.now()
  const write = (entry: SpoolEntry) => {
    // As the spool does it, and every line checked against its schema.
    const line: unknown = JSON.parse(
      JSON.stringify({ n: lines.length + 1, t: clock.wallMs(), m: clock.now() - startMs, ...entry }),
    )
    lines.push(spoolLineSchema.parse(line))
    onLine?.(entry, commands)
  }
  return { lines, write }
}

/** Carries out a job in this process over a real connection. */
export async function runTestJob(
  server: Pick<TestServer, 'baseUrl'>,
  plan: PlanInput,
  options: TestJobOptions = {},
): Promise<TestRun> {
  const job = planOf(plan, options.job, server.baseUrl)
  const clock = createClock()
  const commands = createCommands()
  const client = createDriverClient({ ...job.target, ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }) })
  const { lines, write } = recorder(clock, commands, options.onLine)
  const end = await carryOut({ ...fixed(clock, options), job, client, clock, commands, write })
  client.dispose()
  return { lines, end }
}

/** Carries out a job in fake time: hours of sweep in milliseconds. */
export async function runFakeJob(
  clock: FakeClock,
  server: FakeServer,
  plan: PlanInput,
  options: TestJobOptions = {},
): Promise<TestRun> {
  const job = planOf(plan, options.job, 'http://fake:1')
  const commands = createCommands()
  const { lines, write } = recorder(clock, commands, options.onLine)
  const end = await clock.run(carryOut({ ...fixed(clock, options), job, client: server.client, clock, commands, write }))
  return { lines, end }
}

function fixed(clock: Clock, options: TestJobOptions) {
  const startMs = clock.now()
  return {
    gpu: options.gpu ?? createGpuFeed(undefined),
    probe: options.probe ?? createLoadProbe(),
    lastAckMs: () => startMs,
    tunnelLoopDelayP99Ms: () => undefined,
    redact: (text: string) => text,
  }
}

export function attemptsOf(lines: SpoolEntry[]): Attempt[] {
  return linesOf(lines, 'attempt').map((line) => line.record)
}

/** The only attempt at a cell. */
export function attemptAt(lines: SpoolEntry[], contextTokens: number, concurrency: number): Attempt {
  const found = attemptsOf(lines).filter((record) => record.contextTokens === contextTokens && record.concurrency === concurrency)
  if (found.length !== 1 || !found[0]) throw new Error(`${found.length} attempts at ${contextTokens} × ${concurrency}`)
  return found[0]
}

export function linesOf<Kind extends SpoolEntry['kind']>(lines: SpoolEntry[], kind: Kind): Extract<SpoolEntry, { kind: Kind }>[] {
  return lines.filter((line): line is Extract<SpoolEntry, { kind: Kind }> => line.kind === kind)
}
