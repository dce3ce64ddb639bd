import type { Plan } from '../../../../shared/model/plan.ts'
import { mergedContexts, mergedLevels } from './lists.ts'
import { EMPTY_FORM, type PlanForm, prefillContextsOf } from './plan-form.ts'

const text = (value: number | undefined) => (value === undefined ? '' : String(value))

/** The editor filled with the plan of a run. */
export function formOfPlan(plan: Plan, target: { host?: string | undefined }): PlanForm {
  const contexts = mergedContexts(plan.contexts, [])
  const free = prefillContextsOf({ prefillWithCells: true, prefillContexts: [], contexts, promptMode: plan.promptMode })
  const withCells = JSON.stringify(free) === JSON.stringify(mergedContexts(plan.prefillContexts, []))
  return {
    ...EMPTY_FORM,
    host: target.host ?? '',
    contexts,
    concurrency: mergedLevels(plan.concurrency, []),
    prefillWithCells: withCells,
    prefillContexts: withCells ? [] : mergedContexts(plan.prefillContexts, []),
    seconds: text(plan.seconds),
    maxOutputTokens: text(plan.maxOutputTokens),
    prefillSamples: text(plan.prefillSamples),
    promptMode: plan.promptMode,
    capacity: plan.capacity,
    kvTokens: text(plan.kvTokens),
    order: plan.order,
    settleSeconds: text(plan.settleSeconds),
    stagger: plan.stagger,
    endpoint: plan.endpoint,
    prompts: plan.prompts,
    repeats: text(plan.repeats),
    driver: plan.driver ?? 'auto',
    sendNode: plan.sendNode,
    seed: text(plan.seed),
    model: plan.model ?? '',
    temperature: text(plan.temperature),
    countTokens: plan.countTokens,
    onLoop: plan.onLoop,
    foreignLoad: plan.foreignLoad,
    foreignWaitSeconds: text(plan.foreignWaitSeconds),
    onServerGone: plan.onServerGone,
    targetPrecisionPercent: text(plan.targetPrecisionPercent),
    minSeconds: text(plan.minSeconds),
    maxSeconds: text(plan.maxSeconds),
    timeBudgetMinutes: text(plan.timeBudgetMinutes),
    ackLimitHours: text(plan.ackLimitHours),
  }
}
