import { SpeedgridError } from '../../../shared/model/error.ts'
import { type Plan, planSchema } from '../../../shared/model/plan.ts'
import { badValue } from './lists.ts'
import { flagOf, PLAN_FIELDS } from './plan-fields.ts'
import { type PlanFile, readPlanFile } from './plan-file.ts'
import { toPlanValue } from './values.ts'

interface PlanSources {
  /** Options as commander read them (camelCase names). */
  options: Record<string, unknown>
  path: (typed: string) => string
  /** The plan of a run in the history. */
  planOf(run: string): Promise<Plan>
}

interface ResolvedPlan {
  plan: Plan
  /** What the plan file says about the rest of the command. */
  file: Omit<PlanFile, 'plan'>
}

/** Options over plan file over `--like`, then the plan's own defaults. Throws `plan` with the option's name. */
export async function resolvePlan(sources: PlanSources): Promise<ResolvedPlan> {
  const { options } = sources
  const { plan: fromFile, ...file }: PlanFile =
    typeof options.plan === 'string' ? readPlanFile(sources.path(options.plan)) : { plan: {} }
  const like = typeof options.like === 'string' ? options.like : file.like
  const base: Record<string, unknown> = like ? { ...(await sources.planOf(like)) } : {}
  const fromOptions: Record<string, unknown> = {}
  for (const field of PLAN_FIELDS) {
    const value = options[field.option]
    if (value !== undefined) fromOptions[field.field] = toPlanValue(field, value, flagOf(field.field), sources.path)
  }
  return { plan: checkPlan({ ...base, ...fromFile, ...fromOptions }), file }
}

function checkPlan(input: Record<string, unknown>): Plan {
  const missing = (['contexts', 'concurrency'] as const).filter((name) => input[name] === undefined)
  if (missing.length > 0) {
    throw new SpeedgridError('plan', `The plan doesn't say ${missing.map(flagOf).join(' and ')}.`, {
      nextStep: 'For example --contexts 0,8k,32k --concurrency 1,8,32; or --plan FILE, or --like RUN.',
    })
  }
  const parsed = planSchema.safeParse({ prefillContexts: freePrefills(input), ...input })
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => {
      const name = String(issue.path[0] ?? 'plan')
      const at = issue.path.length > 1 && typeof issue.path[1] === 'number' ? ` (item ${issue.path[1] + 1})` : ''
      return `${flagOf(name)}${at}: ${issue.message}`
    })
    throw new SpeedgridError('plan', 'The plan has values that are not allowed.', {
      evidence: problems,
      nextStep: 'Correct them; nothing was started.',
    })
  }
  const { minSeconds, maxSeconds, targetPrecisionPercent } = parsed.data
  if (minSeconds !== undefined && maxSeconds !== undefined && minSeconds > maxSeconds) {
    throw badValue('--min-seconds', String(minSeconds), `at most --max-seconds (${maxSeconds})`)
  }
  if ((minSeconds !== undefined || maxSeconds !== undefined) && targetPrecisionPercent === undefined) {
    throw new SpeedgridError('plan', '--min-seconds and --max-seconds mean something only with --target-precision.', {
      nextStep: 'Add it, or use --seconds.',
    })
  }
  return parsed.data
}

/**
 * Where the prefill contexts aren't said: those whose first cell brings a cold prefill anyway, as the published runs did. With cold prompts no
 * cell does, and `max` means another length alone than with a cell.
 */
function freePrefills({ contexts, promptMode }: Record<string, unknown>): unknown[] {
  if (promptMode === 'cold' || !Array.isArray(contexts)) return []
  return [...new Set<unknown>(contexts)].filter((context) => typeof context === 'number' && context > 0)
}

/** `--api-key-env VAR` → the key. The variable's name may be said, its value never is. */
export function apiKeyFrom(env: Record<string, string | undefined>, name: string | undefined): string | undefined {
  if (name === undefined) return undefined
  const value = env[name]
  if (value) return value
  throw new SpeedgridError('usage', `The environment variable of --api-key-env is not set.`, {
    evidence: [/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : '(what was given is not the name of a variable)'],
    nextStep: 'Export the key under that name first; give the name of the variable here, never the key.',
  })
}
