import type { z } from 'zod'
import { type changeSettingsInput, type Settings, settingsSchema } from '../../../shared/contract/app.ts'
import type { SettingsStore } from '../../store/index.ts'

/** What is stored and no longer fits counts as not set, field by field. */
export function readSettings(store: SettingsStore): Settings {
  const stored = store.all()
  const fields = Object.entries(settingsSchema.shape).flatMap(([name, schema]) => {
    const parsed = schema.safeParse(stored[name])
    return parsed.success && parsed.data !== undefined ? [[name, parsed.data]] : []
  })
  return settingsSchema.parse(Object.fromEntries(fields))
}

export function changeSettings(store: SettingsStore, input: z.infer<typeof changeSettingsInput>): Settings {
  const { baselineRunId, ...rest } = input
  const changed = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  const baseline = baselineRunId === undefined ? {} : { baselineRunId: baselineRunId || undefined }
  store.change({ ...changed, ...baseline })
  return readSettings(store)
}
