/*
 * Whether a name says that its value is a secret. One judgement for environment variables, flags, keys of JSON, parameters of addresses
 * and what a program prints about its own settings, so that no door knows a name that another one doesn't.
 */

/** `sure`: hide whatever stands there. `likely`: an ordinary word too (`token: …` in a sentence); hide what looks like a secret. */
export type SecretGrade = 'sure' | 'likely'

const SURE =
  /^(?:secrets?|passwords?|passwd|passphrases?|passcodes?|credentials?|creds|apikeys?|dsn|cookies?|jwt|webhooks?|authorization|bearer)$/
const SURE_INSIDE =
  /(?:secret|password|passwd|passphrase|apikey|accesskey|privatekey|authkey|credentials?)$|^(?:password|passwd|apikey)(?!less)/
const LIKELY_ALONE = new Set([
  'token',
  'secret',
  'secrets',
  'credential',
  'credentials',
  'creds',
  'auth',
  'cookie',
  'cookies',
  'pass',
  'jwt',
  'bearer',
  'dsn',
  'webhook',
  'webhooks',
])
/** Words that end in "key" or "token" and are words of their own. */
const PLAIN_WORDS = /^(?:mon|tur|don|hoc|joc|whis|mic|smo|hot|pub|public|off|der|lac|poc|stoc|hos)key$|^(?:key|detoken)$/

const words = (text: string) => new Set(text.split(' '))
const TOKEN_BEFORE = words(
  'bos eos pad stop image video audio start end unk mask sep cls special next first last per prompt output input draft max min new num each ' +
    'bonus cached generated sampled accepted speculative inter time tool think reasoning eoc eot eom added fim vision placeholder by one mm ' +
    'implicit single total target logit logprob all',
)
const TOKEN_AFTER = words(
  'source sources id ids index count counts type types limit limits budget rate rates latency level parser usage embed embedding embeddings ' +
    'classify throughput position positions file path dir env threshold length size mode speed text texts throughputs times time per ms ' +
    'timeout buffer bucket budget_tokens estimate estimator counter counting spread interval distribution probabilities healing map mapping',
)
const TOKENS_BEFORE = words('access auth api refresh bearer hf secret session github gitlab id')
const KEY_BEFORE = words(
  'public pub primary foreign sort cache partition hot map group config metric label query kv k q v search index row column host block hash ' +
    'json dict lookup routing shift ctrl any next prefix num per cell each arrow key object image video audio plan sorted unique of a the by ' +
    'missing unknown unexpected known',
)
const KEY_AFTER = words(
  'error errors file path dir env name names size cache dtype heads length bits proj dim count type types word words press code map up down ' +
    'states scale scales usage algorithm frame event board value values padding norm',
)
const KEYS_BEFORE = words('api secret access private auth encryption signing master service')
const HEADERS_BEFORE = words('allowed allow expose exposed response accept num max table column section cors')
const PASS_BEFORE = words(
  'single first second two multi one forward backward by per num last fusion inductor compile compiler each',
)
const PASS_AFTER = words('config configs manager through rate count counts context name names')
const AUTH_BEFORE = words('no enable disable require requires use skip allow')
/** The value is where the secret lies, or what kind it is. */
const TAIL = words(
  'file files path paths dir folder env type source length size count limit policy mode provider required enabled expires ttl field',
)

/** The words of a name in any spelling: API_KEY, apiKey, x-api-key, APIKey. */
function wordsOf(name: string): string[] {
  return name
    .slice(-120)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]/)
    .map((word) => word.replace(/\d{1,4}$/, ''))
    .filter((word) => word !== '')
}

/** Whether a text can hold a secret's name at all. Most lines of a log do not, and cost nothing more. */
export const mayNameSecret = (text: string): boolean =>
  /key|token|secret|pass|pwd|cred|auth|_pat|header|dsn|cookie|jwt|webhook|bearer|connection|sig/i.test(text)

/** Names come again and again: in every line of a log, in every word of a command. */
const KNOWN_NAMES = 512
const known = new Map<string, SecretGrade | undefined>()

/** How sure a name is; undefined for a plain one. */
export function secretGrade(name: string): SecretGrade | undefined {
  if (known.has(name)) return known.get(name)
  const grade = judge(name)
  if (known.size >= KNOWN_NAMES) known.clear()
  known.set(name, grade)
  return grade
}

function judge(name: string): SecretGrade | undefined {
  if (!mayNameSecret(`_${name}`)) return undefined
  const all = wordsOf(name)
  const last = all.at(-1) ?? ''
  if (all.length > 1 && TAIL.has(last)) return undefined
  const hit = all.some((word, at) => isSecretWord(word, at, all))
  if (!hit) return undefined
  return all.length === 1 && LIKELY_ALONE.has(last) ? 'likely' : 'sure'
}

function isSecretWord(word: string, at: number, all: readonly string[]): boolean {
  const before = all[at - 1] ?? ''
  const after = all[at + 1] ?? ''
  if (PLAIN_WORDS.test(word) && word !== 'key') return false
  switch (word) {
    case 'token':
      return !TOKEN_BEFORE.has(before) && !TOKEN_AFTER.has(after)
    case 'tokens':
      return TOKENS_BEFORE.has(before) && after === ''
    case 'key':
      return before !== '' && !KEY_BEFORE.has(before) && !KEY_AFTER.has(after)
    case 'keys':
      return KEYS_BEFORE.has(before)
    case 'pass':
      return !PASS_BEFORE.has(before) && !PASS_AFTER.has(after) && (at > 0 || after === '')
    case 'pwd':
      return before !== '' && before !== 'old'
    case 'pat':
      return all.length > 1 && after === ''
    case 'auth':
      return after === '' && !AUTH_BEFORE.has(before)
    case 'headers':
      return before !== '' && after === '' && !HEADERS_BEFORE.has(before)
    case 'string':
      return before === 'connection'
    default:
      return SURE.test(word) || SURE_INSIDE.test(word) || /(?:key|token)$/.test(word) || (word !== 'oldpwd' && /.pwd$/.test(word))
  }
}

/**
 * Flags, as argparse takes them: `_` for `-`, and any prefix of vLLM's two secret ones that can't be more than a few others. A prefix that
 * argparse would refuse is hidden too: it prints the command it refuses.
 */
export function isSecretFlag(flag: string): boolean {
  const name = flag
    .replace(/^-{1,2}/, '')
    .replaceAll('_', '-')
    .toLowerCase()
  if (['api-key', 'hf-token'].some((known) => name.length > 1 && known.startsWith(name))) return true
  return secretGrade(name) !== undefined && !/^(?:skip|no|enable|disable|return|use)-/.test(name)
}

/** vLLM's flags that carry a secret, and the variable that says the same without showing it in the process list. */
const VARIABLES: Record<string, string> = { '--api-k': 'VLLM_API_KEY', '--hf-t': 'HF_TOKEN' }

/** The variable that can stand for a flag, in any spelling and prefix that argparse takes; undefined for all other flags. */
export function variableForFlag(flag: string): string | undefined {
  const name = flag.replaceAll('_', '-')
  const shortest = Object.keys(VARIABLES).find((known) => name.startsWith(known) && isSecretFlag(name))
  return shortest !== undefined && ['--api-key', '--hf-token'].some((full) => full.startsWith(name))
    ? VARIABLES[shortest]
    : undefined
}

/** What says that there is none, or whether there is one. */
export const isPlainValue = (value: string): boolean =>
  /^(?:|none|null|nil|undefined|true|false|yes|no|on|off|auto|[01*])$/i.test(value)

/** An environment variable by its name: HF_TOKEN, DB_PWD, OTEL_EXPORTER_OTLP_HEADERS … A proxy is one where its address names an account. */
export function isSecretVariableName(name: string): boolean {
  return secretGrade(name) !== undefined
}
