import { jobSchema } from '../../../shared/model/job.ts'
import { type PlanInput, planSchema } from '../../../shared/model/plan.ts'
import { type SpoolEntry, spoolLineSchema } from '../../../shared/model/spool.ts'
import { createDriverClient } from '../stream/client.ts'
import { carryOut } from './carry-out.ts'
import { createClock } from './clock.ts'
import { type Commands, createCommands } from './commands.ts'
import { createGpuFeed } from './gpu-feed.ts'
import { createLoadProbe } from './load-probe.ts'
import type { RunEnd } from './run-state.ts'
import type { TestServer } from './test-server.ts'

export interface TestRun {
  lines: SpoolEntry[]
  end: RunEnd
}

export interface TestJobOptions {
  job?: object
  apiKey?: string
  onLine?: (line: SpoolEntry, commands: Commands) => void
  gpu?: ReturnType<typeof createGpuFeed>
}

/** Carries out a job against a test server in this process; every line is checked against the schema of the spool. */
export async function runTestJob(
  server: Pick<TestServer, 'baseUrl'>,
  plan: PlanInput,
  options: TestJobOptions = {},
): Promise<TestRun> {
  const job = jobSchema.parse({
    schema: 'speedgrid.job/1',
    runId: 'test-run',
    epoch: 1,
    plan: planSchema.parse(plan),
    target: { baseUrl: server.baseUrl },
    place: 'local',
    ...options.job,
  })
  const clock = createClock()
  const commands = createCommands()
  const client = createDriverClient({ ...job.target, ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }) })
  const lines: SpoolEntry[] = []
  const startMs = clock.now()
  const end = await carryOut({
    job,
    client,
    clock,
    commands,
    gpu: options.gpu ?? createGpuFeed(undefined),
    probe: createLoadProbe(),
    write: (entry) => {
      const line = JSON.parse(
        JSON.stringify({ n: lines.length + 1, t: clock.wallMs(), m: clock.now() - startMs, ...entry }),
      ) as unknown
      lines.push(spoolLineSchema.parse(line))
      options.onLine?.(entry, commands)
    },
    lastAckMs: () => startMs,
    tunnelLoopDelayP99Ms: () => undefined,
    redact: (text) => text,
  })
  client.dispose()
  return { lines, end }
}

export function linesOf<Kind extends SpoolEntry['kind']>(lines: SpoolEntry[], kind: Kind): Extract<SpoolEntry, { kind: Kind }>[] {
  return lines.filter((line): line is Extract<SpoolEntry, { kind: Kind }> => line.kind === kind)
}
