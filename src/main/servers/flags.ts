import { SpeedgridError } from '../../shared/model/error.ts'

/**
 * The flags of `vllm serve` that mean something to us, with the shortest prefix that argparse takes for them (vllm.md 1.4: any unambiguous
 * prefix, `_` for `-`, `--flag value` and `--flag=value`). All other flags pass through untouched: every release has others.
 */
const FLAGS = {
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
  '--max-num-seqs': ['--max-num-s'],
  '--quantization': ['--q', '-q'],
  '--shutdown-timeout': ['--sh'],
  '--speculative-config': ['--speculative-c', '-sc'],
  '--spec-method': ['--spec-me'],
  '--spec-model': ['--spec-mo'],
  '--enable-prompt-tokens-details': ['--enable-prompt-t'],
  '--no-enable-prompt-tokens-details': ['--no-enable-prompt-t'],
  '--disable-uvicorn-access-log': ['--disable-u'],
  '--no-disable-uvicorn-access-log': ['--no-disable-u'],
} as const
export type KnownFlag = keyof typeof FLAGS

export interface FlagWord {
  flag: KnownFlag | undefined
  /** The value of `--flag=value`. */
  inline?: string
}

/** What a word of the command is. Throws `usage` on a prefix of --api-key that argparse would refuse: it would print the key. */
export function readFlag(word: string): FlagWord | undefined {
  if (!word.startsWith('-') || word === '-' || word === '--' || /^-\d/.test(word)) return undefined
  const equals = word.startsWith('--') ? word.indexOf('=') : -1
  const written = equals < 0 ? word : word.slice(0, equals)
  const name = written.startsWith('--') ? `--${written.slice(2).replaceAll('_', '-')}` : written
  if (name.length > 2 && '--api-'.startsWith(name)) {
    throw new SpeedgridError('usage', `${name} could be several flags of vllm serve`, { nextStep: 'Write --api-key in full.' })
  }
  const base = name.split('.')[0] ?? name
  const flag = (Object.keys(FLAGS) as KnownFlag[]).find((known) =>
    FLAGS[known].some(
      (shortest) => base === shortest || (shortest.startsWith('--') && known.startsWith(base) && base.startsWith(shortest)),
    ),
  )
  return { flag, ...(equals < 0 ? {} : { inline: word.slice(equals + 1) }) }
}

/** The value of the last occurrence (argparse: the last one wins); '' for a flag without a value, undefined where it isn't there. */
export function flagValue(args: readonly string[], wanted: KnownFlag): string | undefined {
  let value: string | undefined
  args.forEach((word, index) => {
    const found = readFlag(word)
    if (found?.flag !== wanted) return
    const next = args[index + 1]
    value = found.inline ?? (next !== undefined && readFlag(next) === undefined ? next : '')
  })
  return value
}

export function hasFlag(args: readonly string[], wanted: KnownFlag): boolean {
  return flagValue(args, wanted) !== undefined
}
