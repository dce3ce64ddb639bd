import { shellWords } from './shell-words.ts'

export const REDACTED = '<redacted>'
/** Stands for REDACTED while a command is taken apart: the same length of plain characters. */
const ALREADY = '\u0001redacted\u0001'

const SECRET_FLAG =
  /^--?(?:[a-z0-9]+[-_])*(?:api-?key|api_key|apikey|token|secret|secret-key|password|passwd|passphrase|private-key)s?$/i
// Flags of vLLM that look like it but take no secret.
const HARMLESS_FLAG = /tokens$|^--(?:.*-)?(?:bos|eos|pad|stop|image|video|audio|end|start)-token$/i
const SECRET_NAME =
  /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)$|(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PAT|AUTH)(?:_|$)/i

const INLINE: [RegExp, string][] = [
  [/\bhf_[A-Za-z0-9]{6,}/g, REDACTED],
  [/\b(?:sk|pk|rk)-[A-Za-z0-9_-]{12,}/g, REDACTED],
  [/\b(?:gh[pousr]_[A-Za-z0-9]{12,}|github_pat_\w{12,}|glpat-[\w-]{12,}|AKIA[A-Z0-9]{12,}|xox[abp]-[\w-]{8,})/g, REDACTED],
  [/\b(Bearer|Basic)(\s+)(?!<redacted>)[^\s"',;]+/gi, `$1$2${REDACTED}`],
  [/(\b(?:x-)?api-?key\s*:\s*)(?!<redacted>)[^\s"',;]+/gi, `$1${REDACTED}`],
  [
    /(["'](?:\w*api_?key|\w*secret|\w*password|(?:access|auth|hf|refresh)_token)["']\s*:\s*)(["'])(?:(?!\2).)*\2/gi,
    `$1$2${REDACTED}$2`,
  ],
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@"']+@/gi, `$1${REDACTED}@`],
]

/** Secrets that show by their own form, in any text (log lines, messages). */
export function redactText(text: string): string {
  return INLINE.reduce((done, [pattern, replacement]) => done.replace(pattern, replacement), text)
}

const isSecretFlag = (word: string) => SECRET_FLAG.test(word) && !HARMLESS_FLAG.test(word)

/** Decides word by word; `undefined` keeps a word as it is. vLLM's --api-key takes several values, so all up to the next flag are hidden. */
function redactor(): (word: string, operator?: boolean) => string | undefined {
  let hiding = false
  return (word, operator = false) => {
    if (operator) {
      hiding = false
      return undefined
    }
    if (word.startsWith('-')) {
      const equals = word.indexOf('=')
      const name = equals === -1 ? word : word.slice(0, equals)
      hiding = equals === -1 && isSecretFlag(name)
      return equals !== -1 && isSecretFlag(name) ? `${name}=${REDACTED}` : undefined
    }
    if (hiding) return REDACTED
    const assignment = /^([A-Za-z_][A-Za-z0-9_]*)=/.exec(word)
    if (assignment?.[1] !== undefined && SECRET_NAME.test(assignment[1])) return `${assignment[1]}=${REDACTED}`
    return undefined
  }
}

/** An argument list with its secrets replaced by `<redacted>`. */
export function redactWords(words: readonly string[]): string[] {
  const decide = redactor()
  return words.map((word) => decide(word) ?? (/\s/.test(word) ? redactCommand(word) : redactText(word)))
}

/** A command as a person wrote it, with only its secrets replaced by `<redacted>`; everything else stays letter by letter. */
export function redactCommand(command: string): string {
  const decide = redactor()
  // A command that is redacted already stays as it is: to a shell the angle brackets would be operators that cut the word.
  const words = command.replaceAll(REDACTED, ALREADY)
  let text = ''
  let at = 0
  for (const word of shellWords(words)) {
    const source = words.slice(word.start, word.end)
    text += words.slice(at, word.start) + (decide(word.value, word.operator) ?? inside(source, word.value))
    at = word.end
  }
  return redactText((text + words.slice(at)).replaceAll(ALREADY, REDACTED))
}

/** A whole command in one quoted word (`bash -c "vllm serve --api-key X"`). */
function inside(source: string, value: string): string {
  const quoted = /^(["'])([\s\S]*)\1$/.exec(source)
  if (quoted === null || !/\s/.test(value)) return source
  return `${quoted[1] ?? ''}${redactCommand(quoted[2] ?? '')}${quoted[1] ?? ''}`
}

/** Home folders as `$HOME`: the one given, or whatever looks like one (/home/NAME, /Users/NAME, /root) where it is not known. */
export function homeAsVariable(text: string, homeDir?: string): string {
  const known = homeDir?.replace(/\/+$/, '')
  const home = known === undefined || known === '' ? '/(?:home|Users)/[^/\\s"\':,=]+|/root' : escapePattern(known)
  return text.replace(new RegExp(`(^|[\\s"'=:,;(@])(?:${home})(?=$|[/\\s"':,;)])`, 'gm'), '$1$$HOME')
}

/** The launch command as a report shows it. */
export function shownCommand(command: string, homeDir?: string): string {
  return homeAsVariable(redactCommand(command), homeDir)
}

const escapePattern = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
