import { SpeedgridError } from '../model/error.ts'
import { isSecretVariable, REDACTED, redactWords } from '../secrets/index.ts'
import type { Problem } from './expand.ts'
import { flagValue, fullFlag, hasFlag, isFlagWord, readFlag } from './flags.ts'
import { type CommandReading, readCommand } from './reading.ts'
import { API_KEY, type CommandText } from './secrets.ts'

/** What is to be started. */
export interface LaunchCommand {
  /** Environment without secrets, in the order written. */
  environment: { name: string; value: string }[]
  /** Environment that travels over standard input only. The key of the server is VLLM_API_KEY. */
  secrets: Map<string, string>
  /** Names of secrets that the command wants and nobody has given. */
  missing: string[]
  /** Names of everything the person set, secrets too. */
  environmentNames: string[]
  /** `vllm serve …`, or `python -m vllm.entrypoints.openai.api_server …`. */
  kind: 'vllm' | 'module'
  /** The executable as written: `vllm`, `python3`, or a path. */
  program: string
  /** Everything after `serve` (after the module's name), without secrets. */
  args: string[]
  model?: string
  /** The vLLM environment that the text chooses. */
  chosen?: string
  /** As it is started, word by word, secrets replaced. */
  written: string[]
  /** What was changed on the way, for the person. */
  notes: string[]
}

const usage = ({ cause, nextStep }: Problem) => new SpeedgridError('usage', cause, { nextStep })

/** Throws `usage` for what can't be launched, with what to do; no message ever contains a value. */
export function launchCommand({ text, secrets }: CommandText): LaunchCommand {
  const reading = readCommand(
    text,
    secrets.map(({ name }) => name),
  )
  if (reading.problem !== undefined) throw usage(reading.problem)
  const { program } = reading
  if (program === undefined) throw usage({ cause: 'there is no command to launch', nextStep: '' })
  const command: LaunchCommand = {
    environment: [],
    secrets: new Map(),
    missing: [],
    environmentNames: [],
    kind: program.kind,
    program: program.words[0] ?? '',
    args: [],
    written: [],
    notes: [...reading.notes],
    ...(reading.environment === undefined ? {} : { chosen: reading.environment }),
  }
  const given = new Map(secrets.map(({ name, value }) => [name, value ?? '']))
  readEnvironment(command, reading, given)
  command.written.push(...program.words)
  takeSecretFlags(command, reading, given)
  const model = program.kind === 'vllm' ? reading.model?.value : flagValue(command.args, '--model')
  if (model !== undefined && model !== '') command.model = model
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

/** A command that can be started now: every secret it wants has a value. */
export function startableCommand(text: CommandText): LaunchCommand {
  const command = launchCommand(text)
  const hidden = command.args.findIndex((arg) => arg.includes(REDACTED))
  const name = command.missing[0] ?? (hidden < 0 ? undefined : flagOfWord(command.args, hidden))
  if (name === undefined) return command
  throw usage({
    cause: `the value of ${name} is missing: the command was copied from where secrets are taken out`,
    nextStep: `Put the real value in, or leave ${name} out.`,
  })
}

/** The flag a word belongs to, for people; never the word's own value. */
function flagOfWord(args: readonly string[], index: number): string {
  const flag = args.slice(0, index + 1).findLast(isFlagWord)
  return flag === undefined ? 'an argument' : (flag.split('=')[0] ?? flag)
}

type Given = ReadonlyMap<string, string>

function readEnvironment(command: LaunchCommand, reading: CommandReading, given: Given): void {
  for (const { name, value, isExported } of reading.variables) {
    if (!isExported) continue
    const isSecret = isSecretVariable(name, value)
    command.environment = command.environment.filter((one) => one.name !== name)
    command.secrets.delete(name)
    if (isSecret) keepSecret(command, name, value, given)
    else command.environment.push({ name, value })
    addName(command, name)
    command.written.push(isSecret ? `${name}=${REDACTED}` : `${name}=${value}`)
  }
  for (const name of given.keys()) {
    if (command.environmentNames.includes(name)) continue
    keepSecret(command, name, REDACTED, given)
    addName(command, name)
    command.written.unshift(`${name}=${REDACTED}`)
  }
}

function addName(command: LaunchCommand, name: string): void {
  if (!command.environmentNames.includes(name)) command.environmentNames.push(name)
}

/** --api-key and --hf-token leave the argument list for the environment, in every form that argparse takes. */
function takeSecretFlags(command: LaunchCommand, reading: CommandReading, given: Given): void {
  const words = reading.args.map(({ value }) => value)
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
    const values = takeValues(found.flag, found.inline, words.slice(index), command)
    const isInline = found.inline !== undefined
    index += values.length - (isInline ? 1 : 0)
    command.written.push(isInline ? `${word.slice(0, word.indexOf('='))}=${REDACTED}` : word)
    command.written.push(...values.slice(isInline ? 1 : 0).map(() => REDACTED))
    moveToEnvironment(command, found.flag, values, given)
  }
}

const hasModel = ({ args }: LaunchCommand) => args.some((arg) => !arg.startsWith('-'))

function takeValues(flag: string, inline: string | undefined, rest: readonly string[], command: LaunchCommand): string[] {
  const end = rest.findIndex(isFlagWord)
  const bare = rest.slice(0, end < 0 ? rest.length : end)
  if (flag === '--hf-token') return inline === undefined ? bare.slice(0, 1) : [inline]
  if (inline === undefined) return bare
  // `--api-key=K MODEL`: what follows is the model, unless that is known already.
  return hasModel(command) ? [inline, ...bare] : [inline]
}

function moveToEnvironment(command: LaunchCommand, flag: '--api-key' | '--hf-token', values: string[], given: Given): void {
  const [value] = values
  if (value === undefined || value === '') {
    // `--hf-token` alone means: the token that is stored on the host.
    if (flag === '--hf-token') command.args.push(flag)
    else throw usage({ cause: '--api-key has no value', nextStep: 'Leave --api-key out: every server gets a key of its own.' })
    return
  }
  if (flag === '--api-key' && values.length > 1 && !hasModel(command)) {
    throw usage({
      cause: '--api-key takes every word that follows it, the model too',
      nextStep: 'Put the model first: vllm serve MODEL … --api-key …',
    })
  }
  const name = flag === '--api-key' ? API_KEY : 'HF_TOKEN'
  if (!keepSecret(command, name, value, given)) return
  addName(command, name)
  command.notes.push(`the value of ${flag} was moved to the environment (${name})`)
  if (values.length > 1) command.notes.push('vLLM takes one key from the environment: the first of the keys given is used')
}

/**
 * In the text of a command that was copied, or saved, words stand for the secrets: their values come apart from it, or are missing. False
 * where nothing is known of the secret.
 */
function keepSecret(command: LaunchCommand, name: string, written: string, given: Given): boolean {
  const value = written === REDACTED ? (given.get(name) ?? '') : written
  if (/[\r\n\0]/.test(value)) throw usage({ cause: `the value of ${name} contains a line break`, nextStep: 'Take it out.' })
  if (value !== '') {
    command.secrets.set(name, value)
    command.missing = command.missing.filter((one) => one !== name)
    return true
  }
  if (name !== API_KEY) {
    if (!command.missing.includes(name)) command.missing.push(name)
    return true
  }
  command.notes.push('the API key was taken out of the command that was copied: the server gets one of its own')
  return false
}

function refuse(command: LaunchCommand): void {
  const no = (cause: string, nextStep: string) => usage({ cause, nextStep })
  const prefix = command.args
    .map((word) => fullFlag(word.split('=')[0] ?? ''))
    .find((name) => name.length > 2 && '--api-'.startsWith(name))
  if (prefix !== undefined) throw no(`${prefix} could be several flags of vllm serve`, 'Write --api-key in full.')
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
