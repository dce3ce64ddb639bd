import { z } from 'zod'
import type { FeedOf } from './changes.ts'

export const settingsSchema = z.strictObject({
  appearance: z.enum(['light', 'dark', 'system']).default('system'),
  /** The run whose figures stand beside a live grid's. */
  baselineRunId: z.string().max(100).optional(),
  /** Ask before Node is brought to a host. */
  sendNode: z.boolean().default(false),
})
export type Settings = z.infer<typeof settingsSchema>
/** What is absent stays as it is (`.partial()` would put the defaults in its place); null takes the baseline away. */
export const changeSettingsInput = z.strictObject({
  appearance: settingsSchema.shape.appearance.unwrap().optional(),
  baselineRunId: z.string().max(100).nullable().optional(),
  sendNode: z.boolean().optional(),
})
export const removeHostKeyInput = z.strictObject({ line: z.string().max(10_000) })
export const demoInput = z.strictObject({ machine: z.enum(['h200', 'rtx-pro-6000', '4x-rtx-pro-6000']).default('h200') })

export interface AppInfo {
  version: string
  nodeVersion: string
  dataDir: string
  platform: string
  /** Chromium for PDF and PNG where the shell doesn't print. */
  chromium?: string
}

/** State of the built-in demo lab machine. */
export interface DemoView {
  state: 'off' | 'starting' | 'ready' | 'failed' | 'unsupported'
  machine?: string
  host?: string
  reason?: string
  /** A command that launches the machine's published server. */
  command?: string
}

export interface AppApi {
  info(): Promise<AppInfo>
  settings(): Promise<Settings>
  changeSettings(input: z.infer<typeof changeSettingsInput>): Promise<Settings>
  knownHosts(): Promise<{ line: string; host: string; keyType: string; fingerprint: string }[]>
  removeKnownHost(input: z.infer<typeof removeHostKeyInput>): Promise<void>
  /** What of ours lies on a host: folders, Node, drivers. */
  keptOnHost(input: { name: string }): Promise<{ path: string; bytes: number; what: string }[]>
  removeKeptOnHost(input: { name: string; path: string }): Promise<void>
  /** Versions, settings, host list without addresses' secrets, last log lines: a text without secrets, for a bug report. */
  diagnostics(): Promise<{ fileName: string; text: string }>
  startDemo(input: z.infer<typeof demoInput>): Promise<DemoView>
  stopDemo(): Promise<void>
  watchDemo(signal: AbortSignal): FeedOf<DemoView, DemoView>
}
