import { homeAsVariable } from '../../shared/format/index.ts'
import { SpeedgridError } from '../../shared/model/error.ts'
import { isSecretVariable, REDACTED, redactText, redactWords } from '../../shared/secrets/index.ts'
import { type FlagWord, flagValue, hasFlag, readFlag } from './flags.ts'
import { quoteReadable } from './quote.ts'

export interface LaunchCommand {
  /** Environment without secrets, in the order written. */
  environment: { name: string; value: string }[]
  /** Environment that travels over standard input only. The key of the server is VLLM_API_KEY. */
  secrets: Map<string, string>
  /** Names of everything the person set, secrets too. */
  environmentNames: string[]
  /** `vllm serve …`, or `python -m vllm.entrypoints.openai.api_server …`. */
  kind: 'vllm' | 'module'
  /** The executable as written: `vllm`, `python3`, or a path. */
  program: string
  /** Everything after `serve` (after the module's name), without secrets. */
  args: string[]
  model?: string
  /** As the person wrote it, word by word, secrets replaced. */
  written: string[]
  /** What was changed on the way, for the person. */
  notes: string[]
}

const MODULE = 'vllm.entrypoints.openai.api_server'
const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)=([\s\S]*)$/
const SUPPORTED = 'Supported: [NAME=value …] vllm serve MODEL --flags, or python -m vllm.entrypoints.openai.api_server --flags.'

/** Reads a command given as words. Throws `usage` with what is supported; no message ever contains a value. */
export function parseCommand(words: readonly string[]): LaunchCommand {
  const command: LaunchCommand = {
    environment: [],
    secrets: new Map(),
    environmentNames: [],
    kind: 'vllm',
    program: '',
    args: [],
    written: [],
    notes: [],
  }
  const rest = readProgram(command, readEnvironment(command, words))
  takeSecretFlags(command, rest)
  const model = command.kind === 'vllm' ? (command.args[0]?.startsWith('-') === false ? command.args[0] : undefined) : undefined
  const named = model ?? flagValue(command.args, '--model')
  if (named !== undefined && named !== '') command.model = named
  refuse(command)
  const shown = redactWords(command.args)
  const seen = command.args.flatMap((word, index) => (word === shown[index] ? [] : [flagOfWord(command.args, index)]))
  for (const flag of new Set(seen)) {
    command.notes.push(
      `${flag} holds a secret, and vLLM takes it from its arguments only: every user of the host can see it while the server runs`,
    )
  }
  return command
}

/** The flag a word belongs to, for people; never the word's own value. */
function flagOfWord(args: readonly string[], index: number): string {
  const flag = args.slice(0, index + 1).findLast((word) => readFlag(word) !== undefined)
  return flag === undefined ? 'an argument' : (flag.split('=')[0] ?? flag)
}

function readEnvironment(command: LaunchCommand, words: readonly string[]): string[] {
  const rest = [...words]
  for (;;) {
    const word = rest[0]
    const [, name, value] = (word === undefined ? null : ASSIGNMENT.exec(word)) ?? []
    if (word === 'env' && !command.written.includes('env')) {
      command.written.push('env')
      if (rest[1]?.startsWith('-') === true) {
        throw new SpeedgridError('usage', `env ${rest[1]} is not supported in a launch command`, { nextStep: SUPPORTED })
      }
    } else if (name !== undefined && value !== undefined) {
      assign(command, name, value)
    } else {
      return rest
    }
    rest.shift()
  }
}

function assign(command: LaunchCommand, name: string, value: string): void {
  const secret = isSecretVariable(name, value)
  if (secret && /[\r\n]/.test(value)) throw new SpeedgridError('usage', `the value of ${name} contains a line break`)
  command.environment = command.environment.filter((one) => one.name !== name)
  command.secrets.delete(name)
  if (secret) keepSecret(command, name, value)
  else command.environment.push({ name, value })
  if (!command.environmentNames.includes(name)) command.environmentNames.push(name)
  command.written.push(secret ? `${name}=${REDACTED}` : `${name}=${value}`)
}

function readProgram(command: LaunchCommand, words: string[]): string[] {
  const [program, second, third] = words
  if (program === undefined) throw new SpeedgridError('usage', 'there is no command to launch', { nextStep: SUPPORTED })
  const name = program.split('/').at(-1) ?? program
  command.program = program
  if (/^python[\d.]*$/.test(name) && second === '-m' && third === MODULE) {
    command.kind = 'module'
    command.written.push(program, '-m', MODULE)
    return words.slice(3)
  }
  if ((name === 'vllm' || program.includes('/')) && second === 'serve') {
    command.written.push(program, 'serve')
    return words.slice(2)
  }
  throw new SpeedgridError('usage', `"${name}${second === undefined ? '' : ' …'}" is not a command that starts a vLLM server`, {
    nextStep: SUPPORTED,
  })
}

/** --api-key and --hf-token leave the argument list for the environment, in every form that argparse takes. */
function takeSecretFlags(command: LaunchCommand, words: readonly string[]): void {
  let index = 0
  while (index < words.length) {
    const word = words[index] ?? ''
    const found = readFlag(word)
    index += 1
    if (found?.flag !== '--api-key' && found?.flag !== '--hf-token') {
      command.args.push(word)
      command.written.push(word)
      continue
    }
    const values = takeValues(found, words.slice(index), command)
    index += values.length - (found.inline === undefined ? 0 : 1)
    command.written.push(found.inline === undefined ? word : `${word.slice(0, word.indexOf('='))}=${REDACTED}`)
    command.written.push(...values.slice(found.inline === undefined ? 0 : 1).map(() => REDACTED))
    moveToEnvironment(command, found.flag, values)
  }
}

function takeValues(found: FlagWord, rest: readonly string[], command: LaunchCommand): string[] {
  const end = rest.findIndex((word) => readFlag(word) !== undefined)
  const bare = rest.slice(0, end < 0 ? rest.length : end)
  if (found.flag === '--hf-token') return found.inline === undefined ? bare.slice(0, 1) : [found.inline]
  if (found.inline === undefined) return bare
  // `--api-key=K MODEL`: what follows is the model, unless that is known already.
  const hasModel = command.args.some((arg) => !arg.startsWith('-'))
  return hasModel ? [found.inline, ...bare] : [found.inline]
}

function moveToEnvironment(command: LaunchCommand, flag: '--api-key' | '--hf-token', values: string[]): void {
  const [value] = values
  if (value === undefined || value === '') {
    // `--hf-token` alone means: the token that is stored on the host.
    if (flag === '--hf-token') command.args.push(flag)
    else
      throw new SpeedgridError('usage', '--api-key has no value', {
        nextStep: 'Leave --api-key out: every server gets a key of its own.',
      })
    return
  }
  if (/[\r\n\0]/.test(value)) throw new SpeedgridError('usage', `the value of ${flag} contains a line break`)
  if (flag === '--api-key' && values.length > 1 && !command.args.some((arg) => !arg.startsWith('-'))) {
    throw new SpeedgridError('usage', '--api-key takes every word that follows it, the model too', {
      nextStep: 'Put the model first: vllm serve MODEL … --api-key …',
    })
  }
  const name = flag === '--api-key' ? 'VLLM_API_KEY' : 'HF_TOKEN'
  if (!keepSecret(command, name, value)) return
  if (!command.environmentNames.includes(name)) command.environmentNames.push(name)
  command.notes.push(`the value of ${flag} was moved to the environment (${name})`)
  if (values.length > 1) command.notes.push('vLLM takes one key from the environment: the first of the keys given is used')
}

/** A command copied from a report has its secrets taken out; the words that stand for them are no secrets. False where nothing was kept. */
function keepSecret(command: LaunchCommand, name: string, value: string): boolean {
  if (value !== REDACTED) {
    command.secrets.set(name, value)
    return true
  }
  if (name !== 'VLLM_API_KEY') {
    throw new SpeedgridError(
      'usage',
      `the value of ${name} is missing: the command was copied from where secrets are taken out`,
      {
        nextStep: `Put the real value in, or leave ${name} out.`,
      },
    )
  }
  command.notes.push('the API key was taken out of the command that was copied: the server gets one of its own')
  return false
}

function refuse(command: LaunchCommand): void {
  const no = (cause: string, nextStep: string) => new SpeedgridError('usage', cause, { nextStep })
  if (hasFlag(command.args, '--uds')) throw no('a server behind a Unix socket (--uds) is not supported', 'Leave --uds out.')
  if (hasFlag(command.args, '--ssl-keyfile') || hasFlag(command.args, '--ssl-certfile')) {
    throw no('a server with TLS (--ssl-…) is not supported', 'Leave the --ssl flags out: the way to the host is SSH already.')
  }
  if (hasFlag(command.args, '--headless') || hasFlag(command.args, '--grpc')) {
    throw no('a server without an HTTP API (--headless, --grpc) is not supported', 'Launch the node that serves HTTP.')
  }
  const port = flagValue(command.args, '--port')
  if (port !== undefined && !(/^\d+$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535)) {
    throw no('--port needs a number from 1 to 65535', 'Leave --port out: a free one is chosen.')
  }
  const nul = [...command.args, ...command.environment.map((one) => one.value)].some((word) => word.includes('\0'))
  if (nul) throw no('a word of the command contains a NUL character', 'Take it out.')
}

/**
 * `$HOME` and `${HOME}` where a path begins, and a leading `~`, as the host's home folder: no shell has done it for a pasted command, and
 * our own reports write home folders this way.
 */
export function expandHome(word: string, home: string): string {
  const variable = word.replaceAll(/(^|[="':,@])(?:\$HOME|\$\{HOME\})(?=$|[/"':,])/g, (_all, before: string) => before + home)
  return variable.replace(/^((?:--[\w.-]+|[A-Za-z_]\w*)=)?~(?=\/|$)/, (_all, before: string | undefined) => (before ?? '') + home)
}

/** The written command on one line: secrets are `<redacted>`, the host's home folder is `$HOME`. */
export function writtenCommand(command: LaunchCommand, home: string): string {
  const words = redactWords(command.written).map((word) => writeWord(expandHome(word, home)))
  return homeAsVariable(redactText(words.join(' ')), home)
}

function writeWord(word: string): string {
  if (word === REDACTED || word.endsWith(`=${REDACTED}`)) return word
  const [, name, value] = ASSIGNMENT.exec(word) ?? []
  return name === undefined || value === undefined ? quoteReadable(word) : `${name}=${value === '' ? '' : quoteReadable(value)}`
}
