import { z } from 'zod'
import { hostNameSchema, type Host, type Inventory } from '../model/host.ts'
import type { FeedOf } from './changes.ts'

export const addHostInput = z.strictObject({
  name: hostNameSchema,
  /** `[user@]address[:port]` or an alias of ~/.ssh/config. */
  target: z.string().trim().min(1).max(300),
  identityFile: z.string().max(4096).optional(),
})
export const hostNameInput = z.strictObject({ name: hostNameSchema })
export const trustHostInput = z.strictObject({ name: hostNameSchema, fingerprint: z.string().min(8).max(200) })

export type HostConnection = 'never' | 'connecting' | 'connected' | 'reconnecting' | 'closed' | 'failed'

/** A host as its list shows it. */
export interface HostView {
  host: Host
  connection: HostConnection
  /** Why it is not connected, in the words of the error. */
  reason?: string
  inventory?: Inventory
  inventoryAt?: string
  /** Servers of ours seen at the last look. */
  runningServers?: number
}

export interface HostKeyView {
  hop: string
  keyType: string
  fingerprint: string
  state: 'known' | 'unknown' | 'changed' | 'revoked'
  knownFingerprints: string[]
}

export interface DoctorCheckView {
  check: string
  outcome: 'pass' | 'fail' | 'skipped'
  evidence: string
  remedy?: string
}

export interface HostsApi {
  watch(signal: AbortSignal): FeedOf<HostView[], { upsert: HostView } | { remove: string }>
  /** Aliases of ~/.ssh/config that aren't hosts yet. */
  configAliases(): Promise<string[]>
  add(input: z.infer<typeof addHostInput>): Promise<Host>
  remove(input: z.infer<typeof hostNameInput>): Promise<void>
  /** Undo of remove. */
  restore(input: z.infer<typeof hostNameInput>): Promise<void>
  readKey(input: z.infer<typeof hostNameInput>): Promise<HostKeyView>
  trust(input: z.infer<typeof trustHostInput>): Promise<void>
  connect(input: z.infer<typeof hostNameInput>): Promise<Inventory>
  /** Each check as it ends; finishes after the last. */
  doctor(input: z.infer<typeof hostNameInput>, signal: AbortSignal): AsyncIterable<DoctorCheckView>
}
