import { useCallback, useMemo, useState } from 'react'
import type { Plan } from '../../../../shared/model/plan.ts'
import { readDraft, writeDraft } from './draft.ts'
import { type FormErrors, type FormField, type PlanForm, readPlanForm, type SweepInput } from './plan-form.ts'

export interface PlanEditor {
  form: PlanForm
  /** Messages for fields the person has touched, or all of them once they tried to run. */
  errors: FormErrors
  /** The plan as the engine takes it; undefined while something is wrong. */
  input: SweepInput | undefined
  /** The plan alone, complete before the target is. */
  plan: Plan | undefined
  /** What is still wrong, touched or not. */
  problems: string[]
  change: (change: Partial<PlanForm>) => void
  showAll: () => void
}

/** The form, kept as a draft. A message comes when a field was touched, not before. */
export function usePlanEditor(target: { host?: string | undefined; server?: string | undefined }): PlanEditor {
  const [form, setForm] = useState<PlanForm>(() => {
    const draft = readDraft()
    return target.host === undefined ? draft : { ...draft, targetKind: 'server', host: target.host, server: target.server ?? '' }
  })
  const [touched, setTouched] = useState<ReadonlySet<FormField> | 'all'>(new Set())
  const outcome = useMemo(() => readPlanForm(form), [form])
  const change = useCallback((change: Partial<PlanForm>) => {
    setForm((before) => {
      const next = { ...before, ...change }
      writeDraft(next)
      return next
    })
    setTouched((before) => (before === 'all' ? before : new Set([...before, ...(Object.keys(change) as FormField[])])))
  }, [])
  const showAll = useCallback(() => setTouched('all'), [])
  const all: FormErrors = outcome.ok ? {} : outcome.errors
  const errors: FormErrors =
    touched === 'all' ? all : Object.fromEntries(Object.entries(all).filter(([name]) => touched.has(name as FormField)))
  return {
    form,
    errors,
    input: outcome.ok ? outcome.input : undefined,
    plan: outcome.plan,
    problems: Object.values(all),
    change,
    showAll,
  }
}
