import { homeAsVariable } from '../format/home.ts'
import { shellTokens } from '../command/words.ts'
import { redactAddresses } from './addresses.ts'
import { isPlainValue, isSecretFlag, isSecretVariableName } from './names.ts'
import { REDACTED } from './redacted.ts'
import { redactText } from './redactor.ts'

/** Stands for REDACTED while a command is taken apart: the same length of plain characters. */
const ALREADY = '\u0001redacted\u0001'
/** Commands in quotes in commands in quotes. */
const DEEPEST = 4

/** Decides word by word; `undefined` keeps a word as it is. vLLM's --api-key takes several values, so all up to the next flag are hidden. */
function redactor(): (word: string, operator?: boolean) => string | undefined {
  let hiding = false
  return (word, operator = false) => {
    if (operator) {
      hiding = false
      return undefined
    }
    if (/^-{1,2}[A-Za-z]/.test(word)) {
      const equals = word.indexOf('=')
      const name = equals === -1 ? word : word.slice(0, equals)
      hiding = equals === -1 && isSecretFlag(name)
      return equals !== -1 && isSecretFlag(name) && !isPlainValue(word.slice(equals + 1)) ? `${name}=${REDACTED}` : undefined
    }
    if (hiding) return REDACTED
    const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=([\s\S]*)$/.exec(word) ?? []
    return name !== undefined && value !== undefined && hidesVariable(name, value) ? `${name}=${REDACTED}` : undefined
  }
}

const hidesVariable = (name: string, value: string) =>
  (isSecretVariableName(name) && !isPlainValue(value)) ||
  (/proxy/i.test(name) && /^[^@/\s]{1,512}:[^\s]{1,4096}@/.test(value) && !value.includes('://'))

/** Whether an environment variable is a secret: by its name, or by how its value looks. */
export function isSecretVariable(name: string, value: string): boolean {
  return value === REDACTED || (value !== '' && redactWords([`${name}=${value}`])[0] !== `${name}=${value}`)
}

/** An argument list with its secrets replaced by `<redacted>`. */
export function redactWords(words: readonly string[]): string[] {
  const decide = redactor()
  return words.map((word) => decide(word) ?? redactWord(word, 0))
}

function redactWord(word: string, depth = 0): string {
  const [, before = '', address] =
    /^((?:--?[\w.-]{1,100}|[A-Za-z_]\w{0,100})=)?([a-z][a-z0-9+.-]{0,30}:\/\/[\s\S]*)$/i.exec(word) ?? []
  if (address !== undefined) return redactText(before + redactAddresses(address, true))
  // A piece of JSON is no command, whatever blanks it holds.
  return depth < DEEPEST && /\s/.test(word) && !/^\s*[[{]/.test(word) ? redactCommand(word, depth + 1) : redactText(word)
}

/** A command as a person wrote it, with only its secrets replaced by `<redacted>`; everything else stays letter by letter. */
export function redactCommand(command: string, depth = 0): string {
  const decide = redactor()
  // A command that is redacted already stays as it is: to a shell the angle brackets would be operators that cut the word.
  const words = command.replaceAll(REDACTED, ALREADY)
  let text = ''
  let at = 0
  for (const { kind, start, end, value } of shellTokens(words)) {
    const source = words.slice(start, end)
    text += words.slice(at, start)
    // What a person took for a value may be a comment to a shell.
    if (kind === 'comment') text += decide(value) ?? (depth < DEEPEST ? `#${redactCommand(source.slice(1), depth + 1)}` : source)
    else if (kind === 'skipped') text += source
    else text += decide(value, kind !== 'word') ?? inside(source, value, depth)
    at = end
  }
  return redactText((text + words.slice(at)).replaceAll(ALREADY, REDACTED))
}

/** A whole command in one quoted word (`bash -c "vllm serve --api-key X"`), or an address whose account a text would not end in. */
function inside(source: string, value: string, depth: number): string {
  if (value.includes('://') && value.includes('@')) {
    const clean = redactWord(value, depth)
    if (clean !== value) return requoted(source, clean)
  }
  const quoted = /^(["'])([\s\S]*)\1$/.exec(source)
  if (quoted === null || !/\s/.test(value) || depth >= DEEPEST) return source
  return `${quoted[1] ?? ''}${redactCommand(quoted[2] ?? '', depth + 1)}${quoted[1] ?? ''}`
}

function requoted(source: string, clean: string): string {
  const mark = /^["']/.exec(source)?.[0]
  if (mark === undefined || clean.includes(mark))
    return /^[^\s"'\\|&;]+$/.test(clean) ? clean : `'${clean.replaceAll("'", "'\\''")}'`
  return `${mark}${clean}${mark}`
}

/** The launch command as a report shows it. */
export function shownCommand(command: string, homeDir?: string): string {
  return homeAsVariable(redactCommand(command), homeDir)
}
