import { harmless } from '../../shared/format/index.ts'
import { redactText } from '../../shared/secrets/index.ts'
import { Command, CommanderError } from 'commander'
import { SpeedgridError } from '../../shared/model/error.ts'
import { registerCommands } from './commands/index.ts'
import type { CommandContext, GlobalOptions } from './context.ts'
import type { CliDeps } from './deps.ts'
import { reportError } from './errors.ts'
import { EXIT } from './exit-codes.ts'
import { createOutput } from './output.ts'
import { runCommand } from './run-command.ts'

/** How a command's file hands its work over. The number is the exit code. */
export type Run = (command: string, body: (context: CommandContext) => Promise<number>) => Promise<void>

export interface Registration {
  program: Command
  run: Run
  version: string
}

/** The whole command line. `setExit` is called once, by the command that ran. */
function createProgram(deps: CliDeps, setExit: (code: number) => void): Command {
  const program = new Command('speedgrid')
  program
    .description(
      'Measures LLM serving speed on lab machines: launch vLLM over SSH, sweep context × concurrency, keep history, export reports.',
    )
    .version(deps.version, '--version', 'print the version')
    .option('--data-dir <dir>', 'where history and settings are kept (also SPEEDGRID_DATA_DIR)')
    .option('--json', 'one JSON document on stdout when done')
    .option('--events', 'JSON lines on stdout as it goes')
    .option('--quiet', 'no progress on stderr')
    .option('--no-color', 'no colours (also NO_COLOR)')
    .helpOption('-h, --help', 'show help')
    .showHelpAfterError('(speedgrid COMMAND --help lists the options)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void deps.stdout.write(harmless(text)),
      writeErr: (text) => void deps.stderr.write(harmless(redactText(text))),
      getOutHelpWidth: () => deps.stdout.columns ?? 100,
      getErrHelpWidth: () => deps.stderr.columns ?? 100,
    })
  const run: Run = async (command, body) => {
    setExit(await runCommand(deps, program.opts<GlobalOptions>(), command, body))
  }
  registerCommands({ program, run, version: deps.version })
  return program
}

/** Runs the words after `speedgrid`. Resolves with the exit code; never rejects, never leaves by itself (but at a second Ctrl-C). */
export async function runCli(words: readonly string[], deps: CliDeps): Promise<number> {
  let exit: number = EXIT.done
  const program = createProgram(deps, (code) => {
    exit = code
  })
  try {
    await program.parseAsync([...words], { from: 'user' })
    return exit
  } catch (error) {
    return parseFailure(error, words, deps)
  }
}

/** Commander has printed its message already; with --json a document must follow. */
function parseFailure(error: unknown, words: readonly string[], deps: CliDeps): number {
  const before = words.slice(0, words.includes('--') ? words.indexOf('--') : undefined)
  const output = createOutput(deps, { json: before.includes('--json'), events: before.includes('--events') })
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT.done
    if (error.code !== 'commander.help') {
      const cause = error.message
        .replace(/^error: /, '')
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '')
        .join(' ')
      const info = { code: 'usage', cause, evidence: [], nextStep: 'speedgrid --help lists the commands.' } as const
      output.document({ error: info })
      if (!output.json) output.event({ error: info })
    }
    return EXIT.usage
  }
  if (error instanceof SpeedgridError) return reportError(output, error.toInfo())
  throw error
}
