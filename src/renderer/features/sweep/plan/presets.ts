import type { PlanForm } from './plan-form.ts'
import { EMPTY_FORM } from './plan-form.ts'

const K = 1024

const PRESET_IDS = ['quick', 'published', 'long'] as const
type PresetId = (typeof PRESET_IDS)[number]

/** What a preset decides; the target, the name and the place are the person's. */
type PresetFields = Pick<
  PlanForm,
  | 'contexts'
  | 'concurrency'
  | 'seconds'
  | 'maxOutputTokens'
  | 'prefillWithCells'
  | 'prefillContexts'
  | 'prefillSamples'
  | 'promptMode'
  | 'capacity'
  | 'order'
  | 'settleSeconds'
  | 'repeats'
>

interface Preset {
  id: PresetId
  label: string
  hint: string
  fields: PresetFields
}

const defaults = {
  prefillWithCells: true,
  prefillContexts: [],
  prefillSamples: EMPTY_FORM.prefillSamples,
  promptMode: EMPTY_FORM.promptMode,
  capacity: EMPTY_FORM.capacity,
  order: EMPTY_FORM.order,
  settleSeconds: EMPTY_FORM.settleSeconds,
  repeats: EMPTY_FORM.repeats,
} satisfies Partial<PresetFields>

const PUBLISHED_CONTEXTS = [8 * K, 16 * K, 32 * K, 64 * K, 128 * K, 251 * K]

export const PRESETS: readonly Preset[] = [
  {
    id: 'quick',
    label: 'Quick look',
    hint: '9 cells of 10 seconds: is this server about as fast as it should be?',
    fields: { ...defaults, contexts: [0, 8 * K, 32 * K], concurrency: [1, 4, 16], seconds: '10', maxOutputTokens: '1024' },
  },
  {
    id: 'published',
    label: 'As published',
    hint: '6 contexts × 8 levels, 30 seconds each, prefill up to 256K: compares with the published speed test matrices.',
    fields: {
      ...defaults,
      contexts: PUBLISHED_CONTEXTS,
      concurrency: [1, 2, 4, 8, 16, 32, 64, 128],
      seconds: '30',
      maxOutputTokens: '4096',
      prefillWithCells: false,
      prefillContexts: [...PUBLISHED_CONTEXTS, 'max'],
      settleSeconds: '3',
    },
  },
  {
    id: 'long',
    label: 'Long context',
    hint: 'Up to the longest prompt there is room for, few requests, each prefill sampled three times; capacity counts the shared prompt once.',
    fields: {
      ...defaults,
      contexts: [32 * K, 64 * K, 128 * K, 'max'],
      concurrency: [1, 2, 4, 8],
      seconds: '30',
      maxOutputTokens: '2048',
      prefillWithCells: false,
      prefillContexts: [32 * K, 64 * K, 128 * K, 'max'],
      prefillSamples: '3',
      capacity: 'shared',
    },
  },
]

export function withPreset(form: PlanForm, id: PresetId): PlanForm {
  const preset = PRESETS.find((candidate) => candidate.id === id)
  return preset ? { ...form, ...structuredClone(preset.fields) } : form
}

/** The preset the form still is; otherwise it is the person's own. */
export function presetOf(form: PlanForm): PresetId | 'custom' {
  const same = PRESETS.find(({ fields }) =>
    Object.entries(fields).every(([name, value]) => JSON.stringify(form[name as keyof PlanForm]) === JSON.stringify(value)),
  )
  return same?.id ?? 'custom'
}
