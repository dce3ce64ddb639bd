import {
  CAPACITY_RULES,
  CELL_ORDERS,
  COUNT_TOKENS,
  DRIVER_PLACES,
  ENDPOINTS,
  PROMPT_MODES,
  type PlanInput,
} from '../../../shared/model/plan.ts'

type FieldKind = 'contexts' | 'concurrency' | 'tokens' | 'number' | 'choice' | 'text' | 'switch' | 'prompts'

/** One thing of the plan that can be said as an option and in a plan file. */
export interface PlanField {
  /** Name in the options of commander and in a plan file. */
  option: string
  flags: string
  /** Name in the plan itself; a plan file may use it too. */
  field: keyof PlanInput
  kind: FieldKind
  choices?: readonly string[]
  help: string
}

const field = (
  option: string,
  flags: string,
  name: keyof PlanInput,
  kind: FieldKind,
  help: string,
  choices?: readonly string[],
): PlanField => ({
  option,
  flags,
  field: name,
  kind,
  help: choices ? `${help}: ${choices.join(', ')}` : help,
  ...(choices && { choices }),
})

/** The words of a plan on the command line and in a file; their limits and defaults are the plan's (shared/model/plan.ts). */
export const PLAN_FIELDS: readonly PlanField[] = [
  field('contexts', '--contexts <list>', 'contexts', 'contexts', 'prompt lengths in tokens: 0,8k,251k or max (k = ×1024)'),
  field('concurrency', '--concurrency <list>', 'concurrency', 'concurrency', 'requests at once: 1,2,8 or a range 50:100:10'),
  field('seconds', '--seconds <s>', 'seconds', 'number', 'measured seconds per cell (30)'),
  field('maxOutput', '--max-output <tokens>', 'maxOutputTokens', 'tokens', 'max output tokens per request (4096)'),
  field(
    'prefillContexts',
    '--prefill-contexts <list>',
    'prefillContexts',
    'contexts',
    "contexts whose prefill is measured (those of the cells, as they warm up; 'none')",
  ),
  field('prefillSamples', '--prefill-samples <n>', 'prefillSamples', 'number', 'cold samples per prefill context (1)'),
  field('promptMode', '--prompt-mode <mode>', 'promptMode', 'choice', 'prompts', PROMPT_MODES),
  field('capacity', '--capacity <rule>', 'capacity', 'choice', 'when a cell is over capacity', CAPACITY_RULES),
  field('kvTokens', '--kv-tokens <n>', 'kvTokens', 'tokens', 'KV cache size in tokens, instead of what the server says'),
  field('order', '--order <order>', 'order', 'choice', 'order of the cells', CELL_ORDERS),
  field('settle', '--settle <s>', 'settleSeconds', 'number', 'seconds all streams must run before the window opens (1)'),
  field('stagger', '--stagger', 'stagger', 'switch', "spread the ends of the streams' first requests"),
  field('endpoint', '--endpoint <which>', 'endpoint', 'choice', 'endpoint', ENDPOINTS),
  field('prompts', '--prompts <file>', 'prompts', 'prompts', 'your own prompt text: a text file, or JSONL with text or prompt'),
  field('repeats', '--repeats <n>', 'repeats', 'number', 'measure every cell so many times (1)'),
  field('driver', '--driver <place>', 'driver', 'choice', 'where the load comes from', DRIVER_PLACES),
  field('sendNode', '--send-node', 'sendNode', 'switch', 'allow bringing our Node to the host when it has none'),
  field('seed', '--seed <n>', 'seed', 'number', 'seed of the prompt text (1)'),
  field('model', '--model <name>', 'model', 'text', 'served model name (the first one of the server)'),
  field('temperature', '--temperature <t>', 'temperature', 'number', "pin the temperature (the server's own)"),
  field('countTokens', '--count-tokens <when>', 'countTokens', 'choice', 'when the server is asked for its count', COUNT_TOKENS),
  field('onLoop', '--on-loop <what>', 'onLoop', 'choice', 'a stream that repeats itself', ['discard', 'replace']),
  field('foreignLoad', '--foreign-load <what>', 'foreignLoad', 'choice', 'load that is not ours', ['wait', 'error', 'measure']),
  field('foreignWait', '--foreign-wait <s>', 'foreignWaitSeconds', 'number', 'how long to wait for it (120)'),
  field('onServerGone', '--on-server-gone <what>', 'onServerGone', 'choice', 'the server dies', ['stop', 'wait']),
  field(
    'targetPrecision',
    '--target-precision <percent>',
    'targetPrecisionPercent',
    'number',
    'end a window early at this 95 % half-width',
  ),
  field('minSeconds', '--min-seconds <s>', 'minSeconds', 'number', 'shortest window with --target-precision'),
  field('maxSeconds', '--max-seconds <s>', 'maxSeconds', 'number', 'longest window with --target-precision'),
  field('timeBudget', '--time-budget <minutes>', 'timeBudgetMinutes', 'number', 'skip what does not fit into this time'),
  field('ackLimit', '--ack-limit <hours>', 'ackLimitHours', 'number', 'a driver nobody reads from ends after this (24)'),
]

/** How a field of the plan is called on the command line, for messages. */
export function flagOf(name: string): string {
  const known = PLAN_FIELDS.find((candidate) => candidate.field === name || candidate.option === name)
  return known ? (known.flags.split(' ')[0] ?? name) : name
}
