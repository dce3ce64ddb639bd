import { type CommandContext, createContext, type GlobalOptions } from './context.ts'
import type { CliDeps } from './deps.ts'
import { logFailure } from '../engine/log/index.ts'
import { reportError, toErrorInfo } from './errors.ts'

/** How long an engine may take to close before the command leaves without it. */
const CLOSE_LIMIT_MS = 10_000

/** Runs one command in its own context; every error ends here, once. Resolves with the exit code. */
export async function runCommand(
  deps: CliDeps,
  options: GlobalOptions,
  command: string,
  body: (context: CommandContext) => Promise<number>,
): Promise<number> {
  const context = createContext(deps, options)
  const failed = (error: unknown) => reportError(context.output, toErrorInfo(error, { dataDir: context.dataDir, command }))
  const bug = Promise.withResolvers<never>()
  bug.promise.catch(() => {})
  const stopMinding = deps.onBug((error, contained) => {
    if (!contained) return bug.reject(error)
    const { id, path } = logFailure(context.dataDir, error, command)
    context.output.warn(
      `Something unexpected went wrong (id ${id}); one connection was ended.${path === undefined ? '' : ` The details are in ${path}.`}`,
    )
  })
  let code: number
  try {
    const work = body(context)
    // Where the interrupt wins, the body's own failure has nobody left to tell.
    work.catch(() => {})
    code = await Promise.race([work, context.interrupts.abandoned, bug.promise])
  } catch (error) {
    code = failed(error)
  }
  try {
    await withLimit(context.dispose(), CLOSE_LIMIT_MS)
  } catch (error) {
    const closing = failed(error)
    code ||= closing
  }
  stopMinding()
  return code
}

async function withLimit(work: Promise<void>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs)
  })
  await Promise.race([work, limit])
  clearTimeout(timer)
}
