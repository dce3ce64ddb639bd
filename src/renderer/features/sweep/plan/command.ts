import { type Plan, planSchema } from '../../../../shared/model/plan.ts'
import type { Context } from './lists.ts'
import { prefillContextsOf, type SweepInput } from './plan-form.ts'

const K = 1024

/** The same plan for a terminal: what is the default anyway is left out, and a key is never in it. */
export function sweepCommand(input: SweepInput): string {
  const { plan, target, name, tags } = input
  const words: string[][] = [target.kind === 'server' ? ['--host', target.host] : ['--url', target.url]]
  if (target.kind === 'server' && target.server) words.push(['--server', target.server])
  if (target.kind === 'url' && target.apiKey) words.push(['--api-key-env', 'VLLM_API_KEY'])
  words.push(['--contexts', plan.contexts.map(contextWord).join(',')], ['--concurrency', levelWords(plan.concurrency)])
  words.push(...prefillWords(plan), ...optionWords(plan))
  if (name) words.push(['--name', name])
  for (const tag of tags ?? []) words.push(['--tag', tag])
  return ['speedgrid sweep', ...words.map((pair) => pair.map(shellWord).join(' '))].join(' \\\n  ')
}

const contextWord = (context: Context): string =>
  context === 'max' ? 'max' : context >= K && context % K === 0 ? `${context / K}k` : String(context)

/** Four or more equal steps are a range. */
export function levelWords(levels: readonly number[]): string {
  const parts: string[] = []
  for (let at = 0; at < levels.length; ) {
    const length = evenSteps(levels.slice(at))
    const [from = 0, second = 0] = levels.slice(at)
    if (length >= 4) parts.push(`${from}:${levels[at + length - 1] ?? from}${second - from === 1 ? '' : `:${second - from}`}`)
    else parts.push(String(from))
    at += length >= 4 ? length : 1
  }
  return parts.join(',')
}

/** How many of the first levels are equally far apart. */
function evenSteps(levels: readonly number[]): number {
  const [first = 0, second = first] = levels
  const end = levels.findIndex((level, index) => level !== first + index * (second - first))
  return second <= first ? 1 : end === -1 ? levels.length : end
}

function prefillWords(plan: Plan): string[][] {
  const free = prefillContextsOf({ ...plan, prefillWithCells: true })
  if (JSON.stringify(free) === JSON.stringify(plan.prefillContexts)) return []
  return [['--prefill-contexts', plan.prefillContexts.length === 0 ? 'none' : plan.prefillContexts.map(contextWord).join(',')]]
}

const OPTIONS: readonly (readonly [keyof Plan, string])[] = [
  ['seconds', '--seconds'],
  ['maxOutputTokens', '--max-output'],
  ['prefillSamples', '--prefill-samples'],
  ['promptMode', '--prompt-mode'],
  ['capacity', '--capacity'],
  ['kvTokens', '--kv-tokens'],
  ['order', '--order'],
  ['settleSeconds', '--settle'],
  ['stagger', '--stagger'],
  ['endpoint', '--endpoint'],
  ['prompts', '--prompts'],
  ['repeats', '--repeats'],
  ['driver', '--driver'],
  ['sendNode', '--send-node'],
  ['seed', '--seed'],
  ['model', '--model'],
  ['temperature', '--temperature'],
  ['countTokens', '--count-tokens'],
  ['onLoop', '--on-loop'],
  ['foreignLoad', '--foreign-load'],
  ['foreignWaitSeconds', '--foreign-wait'],
  ['onServerGone', '--on-server-gone'],
  ['targetPrecisionPercent', '--target-precision'],
  ['minSeconds', '--min-seconds'],
  ['maxSeconds', '--max-seconds'],
  ['timeBudgetMinutes', '--time-budget'],
  ['ackLimitHours', '--ack-limit'],
]

function optionWords(plan: Plan): string[][] {
  const defaults: Plan = planSchema.parse({ contexts: [0], concurrency: [1] })
  return OPTIONS.flatMap(([field, flag]): string[][] => {
    const value = plan[field]
    if (value === undefined || value === defaults[field]) return []
    if (typeof value === 'boolean') return value ? [[flag]] : []
    if (typeof value === 'object') return 'name' in value ? [[flag, value.name]] : []
    return [[flag, String(value)]]
  })
}

/** Quoted for sh where it needs to be. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
