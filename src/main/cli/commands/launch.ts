import { startableCommand, writeWords } from '../../../shared/command/index.ts'
import { durationText, harmless } from '../../../shared/format/index.ts'
import { redactText } from '../../../shared/secrets/index.ts'
import { SpeedgridError } from '../../../shared/model/error.ts'
import type { LaunchEvent, LaunchRequest } from '../../servers/types.ts'
import type { CommandContext } from '../context.ts'
import { errorDocument, errorText } from '../errors.ts'
import { EXIT, exitCodeOfLaunchFailure } from '../exit-codes.ts'
import type { Registration } from '../program.ts'

interface LaunchOptions {
  env?: string
  name?: string
  timeout?: string
  verbose?: boolean
}

export function registerLaunch({ program, run }: Registration): void {
  program
    .command('launch')
    .argument('<host>')
    .argument('[words...]', 'after --: [NAME=value …] vllm serve MODEL --flags')
    .option('--env <name>', 'vLLM environment: its name or the path of its vllm')
    .option('--name <launch>', 'a name for the server')
    .option('--timeout <minutes>', 'how long it may take to get ready (60)')
    .option('--verbose', "show the server's log lines too")
    .description('start a server: shows its phases, returns when it is ready or has failed, prints its id')
    .addHelpText(
      'after',
      '\nExample:\n  speedgrid launch lab1 --name small -- VLLM_LOGGING_LEVEL=INFO vllm serve Qwen/Qwen3-0.6B --max-model-len 32k',
    )
    .action((host: string, words: string[], options: LaunchOptions) =>
      run('launch', (context) => launch(context, host, words, options)),
    )
}

async function launch(context: CommandContext, host: string, words: string[], options: LaunchOptions): Promise<number> {
  const { output, interrupts } = context
  if (words.length === 0) {
    throw new SpeedgridError('usage', "It isn't said what to start.", {
      nextStep: `speedgrid launch ${host} -- vllm serve MODEL --flags`,
    })
  }
  const text = launchText(words)
  // Before anything is started: what of the command is read in another way than it stands there.
  for (const note of startableCommand({ text, secrets: [] }).notes) output.warn(`Note: ${note}.`)
  const engine = await context.engine()
  engine.hosts.get(host)
  const request: LaunchRequest = {
    host,
    text,
    signal: interrupts.signal,
    ...(options.env && { environment: options.env }),
    ...(options.name && { name: options.name }),
    ...(options.timeout && { timeoutMs: minutes(options.timeout) * 60_000 }),
  }
  const release = interrupts.takeOver(() =>
    output.warn('Interrupting; what was started is stopped (Ctrl-C again leaves at once)'),
  )
  const forget = interrupts.onLeave(() => output.warn(`Left. What was started may still be there: speedgrid servers ${host}`))
  try {
    const outcome = await engine.servers.launch(request, createPhasePrinter(context, options.verbose === true))
    if (outcome.state === 'ready') {
      output.progress(`Ready in ${durationText(outcome.seconds)} on port ${outcome.server.port}.`)
      output.both(outcome.server.id, { id: outcome.server.id, ...outcome })
      return EXIT.done
    }
    const error = outcome.error ?? { code: 'server_failed', cause: 'The server did not get ready.', evidence: [] }
    output.warn(errorText(error, output.style))
    output.document({ id: outcome.server.id, ...outcome, ...errorDocument(error) })
    return interrupts.signal.aborted ? EXIT.interrupted : exitCodeOfLaunchFailure(error.code)
  } catch (error) {
    if (!(error instanceof SpeedgridError)) throw error
    output.warn(errorText(error.toInfo(), output.style))
    output.document(errorDocument(error.toInfo()))
    return interrupts.signal.aborted ? EXIT.interrupted : exitCodeOfLaunchFailure(error.code)
  } finally {
    release()
    forget()
  }
}

/** Words that a shell has taken apart already; one that holds a whole command is that command. */
const launchText = (words: readonly string[]) => (words.length === 1 ? (words[0] ?? '') : writeWords(words))

function minutes(text: string): number {
  const value = Number(text)
  if (value > 0 && Number.isFinite(value)) return value
  throw new SpeedgridError('usage', `"${text}" is not a number of minutes.`)
}

/** A line for each phase; on a terminal a running bar is redrawn in its line. */
export function createPhasePrinter(context: CommandContext, verbose: boolean): (event: LaunchEvent) => void {
  const { output, deps } = context
  let open = false
  const close = () => {
    if (open) deps.stderr.write('\n')
    open = false
  }
  return (event) => {
    output.event(event)
    if (event.kind === 'log') {
      if (!verbose) return
      close()
      return output.progress(`  | ${redactText(event.line)}`)
    }
    if (event.kind === 'started') {
      close()
      return output.progress(
        `Started ${event.server.id} on port ${event.server.port}${event.server.identity ? `, process ${event.server.identity.pid}` : ''}.`,
      )
    }
    const percent = event.progress === undefined ? '' : ` ${Math.round(event.progress * 100)} %`
    const text = `${event.atSeconds.toFixed(1).padStart(7)} s  ${event.phase.replaceAll('_', ' ')}${percent}${event.detail ? `  ${event.detail}` : ''}`
    if (event.progress === undefined || event.progress >= 1) {
      if (open) deps.stderr.write('\r\u001b[2K')
      open = false
      output.progress(text)
    } else if (output.live) {
      deps.stderr.write(`\r\u001b[2K${harmless(text).slice(0, Math.max(20, (deps.stderr.columns ?? 80) - 1))}`)
      open = true
    }
  }
}
