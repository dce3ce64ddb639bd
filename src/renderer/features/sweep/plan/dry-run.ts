import type { DryRunView } from '../../../../shared/contract/sweeps.ts'
import { type ErrorInfo, SpeedgridError } from '../../../../shared/model/error.ts'
import type { Plan } from '../../../../shared/model/plan.ts'
import type { PlannedCell } from '../../../../shared/model/spool.ts'
import { estimateRunSeconds, planCells, resolveContexts } from '../../../../shared/planning/index.ts'
import { toErrorInfo } from '../../../state/errors.ts'
import type { Context } from './lists.ts'
import type { SweepInput } from './plan-form.ts'

/** A context that can't fit, with the numbers. */
export interface Refusal {
  context: Context
  of: 'contexts' | 'prefillContexts'
  reason: string
  nextStep?: string
}

export type DryRunOutcome = { kind: 'answer'; view: DryRunView; refusals: Refusal[] } | { kind: 'error'; error: ErrorInfo }

/**
 * Asks the engine. It refuses a plan as a whole where one context can't fit; what the server is like is then asked with a context that
 * always fits, so that the grid can still be drawn, with each refused row and its reason, by the rules the driver itself goes by.
 */
export async function askDryRun(ask: (input: SweepInput) => Promise<DryRunView>, input: SweepInput): Promise<DryRunOutcome> {
  try {
    return { kind: 'answer', view: await ask(input), refusals: [] }
  } catch (thrown) {
    const error = toErrorInfo(thrown)
    if (error.code !== 'plan') return { kind: 'error', error }
    try {
      const probe = await ask({ ...input, plan: { ...input.plan, contexts: ['max'], prefillContexts: [] } })
      return withoutRefused(input.plan, probe) ?? { kind: 'error', error }
    } catch {
      return { kind: 'error', error }
    }
  }
}

function withoutRefused(plan: Plan, probe: DryRunView): DryRunOutcome | undefined {
  const refusals = refusalsOf(plan, probe.facts.maxModelLen)
  if (refusals.length === 0) return undefined
  const left = (of: Refusal['of']) => plan[of].filter((context) => !refusals.some((it) => it.of === of && it.context === context))
  const fitting: Plan = { ...plan, contexts: left('contexts'), prefillContexts: left('prefillContexts') }
  const { contexts, prefillContexts } = resolveContexts(fitting, probe.facts.maxModelLen)
  const cells = planCells({ plan: fitting, contexts, kvTokens: plan.kvTokens ?? probe.facts.kvTokens })
  const estimateSeconds = estimateRunSeconds({ plan: fitting, cells, prefillContexts })
  return { kind: 'answer', view: { ...probe, contexts, prefillContexts, cells, estimateSeconds }, refusals }
}

function refusalsOf(
  plan: Pick<Plan, 'contexts' | 'prefillContexts' | 'maxOutputTokens'>,
  maxModelLen: number | undefined,
): Refusal[] {
  const check = (of: Refusal['of']) =>
    plan[of].flatMap((context): Refusal[] => {
      try {
        resolveContexts(
          { contexts: [], prefillContexts: [], maxOutputTokens: plan.maxOutputTokens, [of]: [context] },
          maxModelLen,
        )
        return []
      } catch (thrown) {
        if (!(thrown instanceof SpeedgridError)) throw thrown
        return [{ context, of, reason: thrown.message, ...(thrown.nextStep !== undefined && { nextStep: thrown.nextStep }) }]
      }
    })
  return [...check('contexts'), ...check('prefillContexts')]
}

export type PreviewVerdict = PlannedCell['verdict'] | 'refused'

export interface PreviewCell {
  verdict: PreviewVerdict
  reason?: string
  neededTokens?: number
  kvTokens?: number
}

export interface Preview {
  levels: number[]
  rows: { context: Context; cells: PreviewCell[] }[]
  counts: Record<PreviewVerdict, number>
}

/** The grid of a dry run: one cell a context and level (its first pass), refused contexts as whole rows. */
export function previewOf(
  view: Pick<DryRunView, 'contexts' | 'cells'>,
  refusals: readonly Refusal[],
  concurrency: readonly number[],
): Preview {
  const levels = [...concurrency].sort((a, b) => a - b)
  const first = new Map(
    view.cells.filter((cell) => cell.repeat === 1).map((cell) => [`${cell.contextTokens}x${cell.concurrency}`, cell]),
  )
  const rows: Preview['rows'] = view.contexts.map((context) => ({
    context,
    cells: levels.map((level) => previewCell(first.get(`${context}x${level}`))),
  }))
  for (const { context, reason } of refusals.filter((refusal) => refusal.of === 'contexts'))
    rows.push({ context, cells: levels.map(() => ({ verdict: 'refused', reason })) })
  rows.sort((a, b) => order(a.context) - order(b.context))
  const counts: Preview['counts'] = { run: 0, over_capacity: 0, done: 0, refused: 0 }
  for (const row of rows) for (const cell of row.cells) counts[cell.verdict] += 1
  return { levels, rows, counts }
}

/** What the plan alone tells, before any server was asked: its grid and a rough time. */
export function shapeOf(plan: Plan): { preview: Preview; seconds: number } {
  const numbers = (list: readonly Context[]) => list.filter((context) => context !== 'max')
  const cells = planCells({ plan, contexts: numbers(plan.contexts), kvTokens: plan.kvTokens })
  const levels = [...plan.concurrency].sort((a, b) => a - b)
  const preview = previewOf({ contexts: numbers(plan.contexts), cells }, [], plan.concurrency)
  if (plan.contexts.includes('max')) {
    // How long it is nobody knows yet; that it is a row of the grid is sure.
    preview.rows.push({ context: 'max', cells: levels.map(() => ({ verdict: 'run' })) })
    preview.counts.run += levels.length
  }
  const perCell = estimateRunSeconds({ plan, cells, prefillContexts: numbers(plan.prefillContexts) }) / Math.max(1, cells.length)
  return { preview, seconds: perCell * preview.counts.run * plan.repeats }
}

const order = (context: Context) => (context === 'max' ? Number.POSITIVE_INFINITY : context)

function previewCell(cell: PlannedCell | undefined): PreviewCell {
  if (!cell) return { verdict: 'refused', reason: 'not part of the plan' }
  const { verdict, reason, neededTokens, kvTokens } = cell
  return {
    verdict,
    ...(reason !== undefined && { reason }),
    ...(neededTokens !== undefined && { neededTokens }),
    ...(kvTokens !== undefined && { kvTokens }),
  }
}
