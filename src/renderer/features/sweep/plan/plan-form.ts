import type { z } from 'zod'
import { sweepInput } from '../../../../shared/contract/sweeps.ts'
import { type Plan, type PlanInput, planSchema } from '../../../../shared/model/plan.ts'
import type { Context } from './lists.ts'

export type SweepInput = z.infer<typeof sweepInput>

/** What the editor holds: numbers as typed, so that a half-typed one is neither lost nor guessed. */
export interface PlanForm {
  targetKind: 'server' | 'url'
  host: string
  server: string
  url: string
  /** Only ever in memory and in the request; never kept, shown in a command or logged. */
  apiKey: string
  name: string
  tags: string[]
  contexts: Context[]
  concurrency: number[]
  /** Prefill of the cells' own contexts, as they warm up; otherwise `prefillContexts`. */
  prefillWithCells: boolean
  prefillContexts: Context[]
  seconds: string
  maxOutputTokens: string
  prefillSamples: string
  promptMode: Plan['promptMode']
  capacity: Plan['capacity']
  kvTokens: string
  order: Plan['order']
  settleSeconds: string
  stagger: boolean
  endpoint: Plan['endpoint']
  prompts: Plan['prompts']
  repeats: string
  driver: NonNullable<Plan['driver']> | 'auto'
  sendNode: boolean
  seed: string
  model: string
  temperature: string
  countTokens: Plan['countTokens']
  onLoop: Plan['onLoop']
  foreignLoad: Plan['foreignLoad']
  foreignWaitSeconds: string
  onServerGone: Plan['onServerGone']
  targetPrecisionPercent: string
  minSeconds: string
  maxSeconds: string
  timeBudgetMinutes: string
  ackLimitHours: string
}

export const EMPTY_FORM: PlanForm = {
  targetKind: 'server',
  host: '',
  server: '',
  url: '',
  apiKey: '',
  name: '',
  tags: [],
  contexts: [],
  concurrency: [],
  prefillWithCells: true,
  prefillContexts: [],
  seconds: '30',
  maxOutputTokens: '4096',
  prefillSamples: '1',
  promptMode: 'shared',
  capacity: 'published',
  kvTokens: '',
  order: 'published',
  settleSeconds: '1',
  stagger: false,
  endpoint: 'chat',
  prompts: undefined,
  repeats: '1',
  driver: 'auto',
  sendNode: false,
  seed: '1',
  model: '',
  temperature: '',
  countTokens: 'auto',
  onLoop: 'discard',
  foreignLoad: 'wait',
  foreignWaitSeconds: '120',
  onServerGone: 'stop',
  targetPrecisionPercent: '',
  minSeconds: '',
  maxSeconds: '',
  timeBudgetMinutes: '',
  ackLimitHours: '24',
}

export type FormField = keyof PlanForm
export type FormErrors = Partial<Record<FormField, string>>

/** `plan` is there as soon as the plan itself is complete, whatever is missing of the target. */
type FormOutcome = { ok: true; input: SweepInput; plan: Plan } | { ok: false; errors: FormErrors; plan: Plan | undefined }

const NUMBER_FIELDS = [
  'seconds',
  'maxOutputTokens',
  'prefillSamples',
  'kvTokens',
  'settleSeconds',
  'repeats',
  'seed',
  'temperature',
  'foreignWaitSeconds',
  'targetPrecisionPercent',
  'minSeconds',
  'maxSeconds',
  'timeBudgetMinutes',
  'ackLimitHours',
] as const satisfies readonly (FormField & keyof PlanInput)[]
/** Tokens may be typed as 4k. */
const TOKEN_FIELDS = new Set<FormField>(['maxOutputTokens', 'kvTokens'])

/** The form as the engine takes it, or a message for each field that can't go. The limits are the plan's own. */
export function readPlanForm(form: PlanForm): FormOutcome {
  const errors: FormErrors = {}
  const numbers: Partial<Record<(typeof NUMBER_FIELDS)[number], number>> = {}
  for (const field of NUMBER_FIELDS) {
    const text = form[field].trim()
    if (text === '') continue
    const value = readNumber(text, TOKEN_FIELDS.has(field))
    if (value === undefined) errors[field] = `"${text.slice(0, 40)}" is not a number`
    else numbers[field] = value
  }
  const plan: PlanInput = {
    ...numbers,
    contexts: form.contexts,
    concurrency: form.concurrency,
    prefillContexts: prefillContextsOf(form),
    promptMode: form.promptMode,
    capacity: form.capacity,
    order: form.order,
    stagger: form.stagger,
    endpoint: form.endpoint,
    ...(form.prompts && { prompts: form.prompts }),
    ...(form.driver !== 'auto' && { driver: form.driver }),
    sendNode: form.sendNode,
    ...(form.model.trim() !== '' && { model: form.model.trim() }),
    countTokens: form.countTokens,
    onLoop: form.onLoop,
    foreignLoad: form.foreignLoad,
    onServerGone: form.onServerGone,
  }
  Object.assign(errors, { ...targetErrors(form), ...windowErrors(form, numbers), ...errors })
  const parsed = sweepInput.safeParse({
    target: targetOf(form),
    plan,
    ...(form.name.trim() !== '' && { name: form.name.trim() }),
    ...(form.tags.length > 0 && { tags: form.tags }),
  })
  if (parsed.success && Object.keys(errors).length === 0) return { ok: true, input: parsed.data, plan: parsed.data.plan }
  for (const issue of parsed.error?.issues ?? []) {
    const [top, name] = issue.path
    const field = fieldOf(top === 'plan' ? name : top === 'target' ? (form.targetKind === 'url' ? 'url' : 'host') : top)
    errors[field] ??= messageOf(field, issue.message)
  }
  const isPlanWrong = NUMBER_FIELDS.some((field) => errors[field] !== undefined)
  return { ok: false, errors, plan: isPlanWrong ? undefined : planSchema.safeParse(plan).data }
}

const fieldOf = (name: PropertyKey | undefined): FormField =>
  typeof name === 'string' && name in EMPTY_FORM ? (name as FormField) : 'contexts'

function messageOf(field: FormField, message: string): string {
  if (message.startsWith('Too small') && field === 'contexts') return 'Give at least one context, like 8k'
  if (message.startsWith('Too small') && field === 'concurrency') return 'Give at least one number of requests, like 1'
  return message.replace(/^Too (?:small|big): expected \w+ to be /, 'Must be ').replace(/^Invalid input: /, '')
}

/** Where nothing is said, the prefills that the cells bring anyway, as the command line has it: cold cells bring none, 0 and max neither. */
export function prefillContextsOf(
  form: Pick<PlanForm, 'prefillWithCells' | 'prefillContexts' | 'contexts' | 'promptMode'>,
): Context[] {
  if (!form.prefillWithCells) return form.prefillContexts
  if (form.promptMode === 'cold') return []
  return form.contexts.filter((context) => context !== 'max' && context > 0)
}

function readNumber(text: string, tokens: boolean): number | undefined {
  const match = /^(-?\d{1,15}(?:\.\d{1,9})?)(k?)$/i.exec(text.replace(/(?<=\d),(?=\d{3}\b)/g, ''))
  if (!match || (match[2] && !tokens)) return undefined
  return Number(match[1]) * (match[2] ? 1024 : 1)
}

function targetOf(form: PlanForm): unknown {
  if (form.targetKind === 'url') return { kind: 'url', url: form.url.trim(), ...(form.apiKey !== '' && { apiKey: form.apiKey }) }
  return { kind: 'server', host: form.host, ...(form.server !== '' && { server: form.server }) }
}

function targetErrors(form: PlanForm): FormErrors {
  if (form.targetKind === 'server') return form.host === '' ? { host: 'Choose the host whose server is measured' } : {}
  const url = form.url.trim()
  if (url === '') return { url: 'Give the address of the server, like http://127.0.0.1:8000' }
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) return { url: 'Not an http or https address' }
  if (parsed.username !== '' || parsed.password !== '')
    return { url: 'A password has no place in an address; use the API key field' }
  return {}
}

function windowErrors(form: PlanForm, numbers: { minSeconds?: number; maxSeconds?: number }): FormErrors {
  const { minSeconds, maxSeconds } = numbers
  if (minSeconds !== undefined && maxSeconds !== undefined && minSeconds > maxSeconds)
    return { minSeconds: 'Longer than the longest window' }
  if (form.targetPrecisionPercent.trim() !== '') return {}
  const message = 'Means something only with a target precision'
  return { ...(minSeconds !== undefined && { minSeconds: message }), ...(maxSeconds !== undefined && { maxSeconds: message }) }
}
