import { apiKeyFrom } from '../plan/plan-options.ts'
import type { Registration } from '../program.ts'
import { carryOut } from '../sweep/finish.ts'
import { startedOrInterrupted } from '../sweep/start.ts'

export function registerResume({ program, run }: Registration): void {
  program
    .command('resume')
    .argument('<run>', 'id, beginning of an id, name, or last')
    .option('--api-key-env <variable>', "name of the environment variable with the server's API key")
    .description('go on with a run that was interrupted, or watch one that runs on')
    .action((idOrName: string, options: { apiKeyEnv?: string }) =>
      run('resume', async (context) => {
        const apiKey = apiKeyFrom(context.deps.env, options.apiKeyEnv)
        const engine = await context.engine()
        const { id } = engine.store.runs.find(idOrName)
        const handle = await startedOrInterrupted(context, engine.sweeps.resume(id, apiKey ? { apiKey } : {}))
        return carryOut(context, engine, handle)
      }),
    )
}
