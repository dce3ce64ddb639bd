import { mkdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writeWords } from '../../../shared/command/index.ts'
import { durationText } from '../../../shared/format/index.ts'
import { SpeedgridError } from '../../../shared/model/error.ts'
import type { RunDocument } from '../../../shared/model/run.ts'
import { publicRun, reportFileName } from '../../../shared/report/index.ts'
import type { Engine } from '../../engine/types.ts'
import { writeReport } from '../../reports/index.ts'
import type { DemoOptions } from '../commands/demo.ts'
import { createPhasePrinter } from '../commands/launch.ts'
import { stopText } from '../commands/stop.ts'
import type { CommandContext } from '../context.ts'
import { errorText } from '../errors.ts'
import { EXIT } from '../exit-codes.ts'
import { exitCodeOfRun } from '../sweep/outcome.ts'
import { followSweep } from '../sweep/session.ts'
import { startedOrInterrupted } from '../sweep/start.ts'
import { summaryText } from '../sweep/summary.ts'
import { demoPlan } from './demo-plan.ts'

export interface DemoSteps {
  /** Registers what must be undone at the end, in reverse order. */
  later(undo: () => void | Promise<void>): void
  unlessInterrupted<T>(work: Promise<T>): Promise<T>
}

interface DemoJob {
  host: string
  words: string[]
  options: DemoOptions
}

/** The main job on a host that is there: doctor, launch, sweep, stop, report. Returns the exit code. */
export async function runDemo(context: CommandContext, engine: Engine, job: DemoJob, steps: DemoSteps): Promise<number> {
  const { output, deps } = context
  const { host } = job
  const checks = await steps.unlessInterrupted(engine.hosts.doctor(host))
  const failed = checks.filter((check) => check.outcome === 'fail')
  output.progress(
    `doctor: ${checks.length - failed.length} of ${checks.length} checks pass or don't apply${failed.length > 0 ? `; failed: ${failed.map((check) => check.check).join(', ')}` : ''}`,
  )

  const serverId = await launch(context, engine, job, steps)
  const { document, code } = await sweep(context, engine, job, serverId)
  if (code === EXIT.interrupted) {
    // The machine takes its server along when it goes, so there is no need to wait for a stop.
    output.document(publicRun(document))
    output.warn('Interrupted. What was measured is in the history: speedgrid show last')
    return code
  }
  const stopped = await steps.unlessInterrupted(engine.servers.stop(host, serverId))
  output.progress(stopText(serverId, stopped))
  const file = reportPath(context, document, job.options.output)
  if (job.options.output === undefined) mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  await writeReport(document, 'html', file)
  output.document({ ...publicRun(document), report: file })
  output.result(summaryText(document, { columns: deps.stdout.columns ?? 100, style: output.resultStyle }))
  output.result(`\nReport: ${file}`)
  if (output.json || output.events) output.progress(`Report: ${file}`)
  output.progress('Every figure is simulated: the demo machine replays a published matrix.')
  return code
}

async function launch(context: CommandContext, engine: Engine, { host, words }: DemoJob, steps: DemoSteps): Promise<string> {
  const { output, interrupts } = context
  output.progress(`launch: ${words.join(' ')}`)
  const outcome = await steps.unlessInterrupted(
    engine.servers.launch(
      { host, text: writeWords(words), name: 'demo', signal: interrupts.signal },
      createPhasePrinter(context, false),
    ),
  )
  if (outcome.state === 'failed') {
    const { code = 'server_failed', cause = 'The demo server did not start.', evidence = [], nextStep } = outcome.error ?? {}
    throw new SpeedgridError(code, cause, { evidence, ...(nextStep && { nextStep }) })
  }
  output.progress(`ready in ${durationText(outcome.seconds)}: ${outcome.server.id} on port ${outcome.server.port}`)
  return outcome.server.id
}

async function sweep(
  context: CommandContext,
  engine: Engine,
  { host, options }: DemoJob,
  serverId: string,
): Promise<{ document: RunDocument; code: number }> {
  const { output } = context
  const plan = demoPlan(options.full === true)
  const starting = engine.sweeps.start({
    target: { kind: 'server', host, server: serverId },
    plan,
    name: `Demo ${options.machine}`,
    tags: ['demo'],
  })
  const handle = await startedOrInterrupted(context, starting)
  const outcome = await followSweep(context, engine, handle, { resumable: false })
  const document = engine.sweeps.document(handle.runId)
  if (outcome.kind === 'ended' && outcome.error) output.warn(errorText(outcome.error, output.style))
  return { document, code: exitCodeOfRun(outcome, document) }
}

function reportPath(context: CommandContext, document: RunDocument, chosen: string | undefined): string {
  // The id: several demos of one day must not overwrite each other.
  const name = reportFileName(document, 'html').replace(/\.html$/, `-${document.id.slice(0, 8)}.html`)
  if (chosen === undefined) return join(context.dataDir, 'reports', name)
  const typed = context.path(chosen)
  return statSync(typed, { throwIfNoEntry: false })?.isDirectory() ? join(typed, name) : typed
}
