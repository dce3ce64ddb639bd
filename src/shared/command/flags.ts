/**
 * The flags of `vllm serve` that mean something to us, with the shortest prefixes that argparse takes for them and their short forms. All
 * others pass through untouched: every release has others.
 */
const KNOWN = {
  '--api-key': ['--api-k'],
  '--hf-token': ['--hf-t'],
  '--host': ['--ho'],
  '--port': ['--por'],
  '--uds': ['--ud'],
  '--ssl-keyfile': ['--ssl-k'],
  '--ssl-certfile': ['--ssl-certf'],
  '--config': ['--config'],
  '--headless': ['--headl'],
  '--grpc': ['--gr'],
  '--model': ['--model'],
  '--revision': ['--revision'],
  '--served-model-name': ['--served-m'],
  '--max-model-len': ['--max-model'],
  '--max-num-seqs': ['--max-num-s'],
  '--tensor-parallel-size': ['-tp', '--tensor-p'],
  '--gpu-memory-utilization': ['--gpu-m'],
  '--dtype': ['--dty'],
  '--quantization': ['--q', '-q'],
  '--kv-cache-dtype': ['--kv-cache-dtype'],
  '--reasoning-parser': ['--reasoning-parser'],
  '--shutdown-timeout': ['--sh'],
  '--speculative-config': ['--speculative-c', '-sc'],
  '--spec-method': ['--spec-me'],
  '--spec-model': ['--spec-mo'],
  '--enable-prompt-tokens-details': ['--enable-prompt-t'],
  '--no-enable-prompt-tokens-details': ['--no-enable-prompt-t'],
  '--disable-uvicorn-access-log': ['--disable-u'],
  '--no-disable-uvicorn-access-log': ['--no-disable-u'],
} as const satisfies Record<string, readonly string[]>
type KnownFlag = keyof typeof KNOWN
const ENTRIES = Object.entries(KNOWN) as [KnownFlag, readonly string[]][]

/** A negative number and a lone dash are values. */
export const isFlagWord = (word: string): boolean =>
  word.startsWith('-') && word.length > 1 && word !== '--' && !/^-[\d.]/.test(word)

/** The full name of a flag as argparse reads it: `_` for `-`, short forms, unambiguous prefixes. Unknown ones keep theirs. */
export function fullFlag(written: string): string {
  const name = written.startsWith('--') ? `--${written.slice(2).replaceAll('_', '-')}` : written
  const known = ENTRIES.find(([flag, shortest]) =>
    [flag, ...shortest].some((one) => name === one || (one.startsWith('--') && flag.startsWith(name) && name.startsWith(one))),
  )
  return known?.[0] ?? name
}

/** The flag of a word, and the value behind its `=`; undefined for a value. */
export function readFlag(word: string): { flag: string; inline?: string } | undefined {
  if (!isFlagWord(word)) return undefined
  const equals = word.startsWith('--') ? word.indexOf('=') : -1
  if (equals < 0) return { flag: fullFlag(word) }
  return { flag: fullFlag(word.slice(0, equals)), inline: word.slice(equals + 1) }
}

/** `--speculative-config.method` sets a part of `--speculative-config`. */
const isFlag = (flag: string | undefined, wanted: KnownFlag) =>
  flag === wanted || (flag?.includes('.') === true && fullFlag(flag.split('.')[0] ?? flag) === wanted)

/** The value of the last occurrence (argparse: the last one wins); '' for a flag without a value, undefined where it isn't there. */
export function flagValue(args: readonly string[], wanted: KnownFlag): string | undefined {
  let value: string | undefined
  args.forEach((word, index) => {
    const found = readFlag(word)
    if (!isFlag(found?.flag, wanted)) return
    const next = args[index + 1]
    value = found?.inline ?? (next !== undefined && readFlag(next) === undefined ? next : '')
  })
  return value
}

export const hasFlag = (args: readonly string[], wanted: KnownFlag): boolean => flagValue(args, wanted) !== undefined

const LISTS = new Set(
  'served-model-name api-key cudagraph-capture-sizes ignore-patterns lora-modules middleware compile-sizes'.split(' '),
)
const SWITCHES = new Set(
  (
    'headless grpc aggregate-engine-logging fail-on-environ-validation trust-remote-code enforce-eager skip-tokenizer-init ' +
    'language-model-only skip-mm-profiling numa-bind async-scheduling scheduler-reserve-full-isl kv-cache-metrics cudagraph-metrics ' +
    'data-parallel-multi-port-external-lb data-parallel-hybrid-lb data-parallel-external-lb calculate-kv-scales allow-credentials ' +
    'return-tokens-as-token-ids use-tqdm-on-load interleave-mm-strings h help'
  ).split(' '),
)

/**
 * How many words a flag takes, from what every release has in common: where flags stand before the model, it decides which word that is.
 * A flag that isn't known here takes one.
 */
export function takenValues(flag: string): 'none' | 'one' | 'many' {
  const name = flag.replace(/^-+/, '')
  if (LISTS.has(name)) return 'many'
  if (flag === '-ep' || SWITCHES.has(name)) return 'none'
  return /^(?:no|enable|disable)-/.test(name) && name !== 'disable-access-log-for-endpoints' ? 'none' : 'one'
}
