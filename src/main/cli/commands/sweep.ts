import type { Command } from 'commander'
import { SpeedgridError } from '../../../shared/model/error.ts'
import type { Engine } from '../../engine/types.ts'
import type { SweepRequest, SweepTarget } from '../../sweep/types.ts'
import type { CommandContext } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { PLAN_FIELDS } from '../plan/plan-fields.ts'
import type { PlanFile } from '../plan/plan-file.ts'
import { apiKeyFrom, resolvePlan } from '../plan/plan-options.ts'
import type { Registration } from '../program.ts'
import { dryRunText } from '../sweep/dry-run-text.ts'
import { carryOut } from '../sweep/finish.ts'
import { startedOrInterrupted } from '../sweep/start.ts'

interface SweepOptions extends Record<string, unknown> {
  host?: string
  server?: string
  url?: string
  apiKeyEnv?: string
  plan?: string
  like?: string
  dryRun?: boolean
  name?: string
  tag?: string[]
}

export function registerSweep({ program, run }: Registration): void {
  const command = program
    .command('sweep')
    .description('measure a grid of contexts × requests at once on a running server')
    .option('--host <host>', 'host whose server is measured')
    .option('--server <id>', 'id or name of the server there; the only running one when absent')
    .option('--url <url>', 'a server that is reached without SSH')
    .option('--api-key-env <variable>', "name of the environment variable with the server's API key")
  for (const field of PLAN_FIELDS) command.option(field.flags, field.help)
  command
    .option('--plan <file>', 'these options as JSON')
    .option('--like <run>', 'the plan of a run in the history')
    .option('--dry-run', 'say which cells run, which do not and why, and how long it takes')
    .option('--name <name>', 'name of the run')
    .option('--tag <tag>', 'tag of the run (may be repeated)', (tag: string, tags: string[] | undefined) => [
      ...(tags ?? []),
      tag,
    ])
    .action((options: SweepOptions, self: Command) => run(self.name(), (context) => sweep(context, options)))
}

async function sweep(context: CommandContext, options: SweepOptions): Promise<number> {
  const { plan, file } = await resolvePlan({
    options,
    path: (typed) => context.path(typed),
    planOf: async (idOrName) => {
      const { runs } = (await context.engine()).store
      return runs.document(runs.find(idOrName).id).plan
    },
  })
  const apiKey = apiKeyFrom(context.deps.env, options.apiKeyEnv ?? file.apiKeyEnv)
  const target = targetOf(options, file, apiKey)
  const tags = [...(file.tags ?? []), ...(options.tag ?? [])]
  const name = options.name ?? file.name
  const request: SweepRequest = {
    target,
    plan,
    ...(name && { name }),
    ...(tags.length > 0 && { tags }),
    ...(apiKey && { apiKey }),
  }
  const engine = await context.engine()
  return options.dryRun ? dryRun(context, engine, request) : measure(context, engine, request)
}

async function dryRun(context: CommandContext, engine: Engine, request: SweepRequest): Promise<number> {
  const dry = await engine.sweeps.dryRun(request)
  context.output.both(dryRunText(dry), dry)
  return EXIT.done
}

async function measure(context: CommandContext, engine: Engine, request: SweepRequest): Promise<number> {
  const where = request.target.kind === 'server' ? request.target.host : request.target.url
  context.output.progress(`Preparing a run on ${where}…`)
  return carryOut(context, engine, await startedOrInterrupted(context, engine.sweeps.start(request)))
}

/** `--host HOST [--server ID]` or `--url URL`; an option replaces what the plan file says as a whole. */
function targetOf(options: SweepOptions, file: Omit<PlanFile, 'plan'>, apiKey: string | undefined): SweepTarget {
  const said =
    options.host !== undefined || options.url !== undefined ? options : { ...file, server: options.server ?? file.server }
  const { host, server, url } = said
  const wrong = (cause: string) =>
    new SpeedgridError('usage', cause, { nextStep: 'Give --host HOST [--server ID], or --url URL.' })
  if (host !== undefined && url !== undefined) throw wrong('--host and --url exclude each other.')
  if (url !== undefined) {
    if (server !== undefined) throw wrong('--server belongs to --host.')
    checkUrl(url)
    return { kind: 'url', url, ...(apiKey && { apiKey }) }
  }
  if (host === undefined) throw wrong("It isn't said what to measure.")
  return { kind: 'server', host, ...(server && { server }) }
}

function checkUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new SpeedgridError('usage', 'The value of --url is not an http or https address.', {
      nextStep: 'Give it like http://127.0.0.1:8000.',
    })
  }
  if (url.username || url.password) {
    throw new SpeedgridError('usage', 'The value of --url has a user name or password in it; secrets are never arguments.', {
      nextStep: 'Give the API key through --api-key-env.',
    })
  }
}
