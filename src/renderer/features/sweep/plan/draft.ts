import { EMPTY_FORM, type PlanForm } from './plan-form.ts'
import { withPreset } from './presets.ts'

const KEY = 'speedgrid.plan'

/** The plan as it was left, so that a reload or a look at another screen loses nothing. The API key and prompt texts are never kept. */
export function readDraft(storage: Storage = localStorage): PlanForm {
  const fresh = withPreset(EMPTY_FORM, 'quick')
  try {
    const kept: unknown = JSON.parse(storage.getItem(KEY) ?? 'null')
    if (typeof kept !== 'object' || kept === null) return fresh
    const known = Object.entries(kept).filter(([name, value]) => isLike(value, EMPTY_FORM[name as keyof PlanForm]))
    return { ...fresh, ...Object.fromEntries(known) }
  } catch {
    return fresh
  }
}

/** A draft of an older version may hold anything. */
const isLike = (value: unknown, model: unknown) =>
  model !== undefined && typeof value === typeof model && Array.isArray(value) === Array.isArray(model)

export function writeDraft(form: PlanForm, storage: Storage = localStorage): void {
  const { apiKey: _key, prompts: _prompts, ...rest } = form
  try {
    storage.setItem(KEY, JSON.stringify(rest))
  } catch {
    // A full or forbidden storage loses the draft, not the sweep.
  }
}
