import { z } from 'zod'
import type { FeedOf } from './changes.ts'

/** A question the engine has to ask the person before it can go on: a password, a passphrase, a one-time code, an unknown host key. */
export type PromptView =
  | {
      id: string
      kind: 'secret'
      text: string
      echo: boolean
      /**
       * Name under which a shell may keep the answer in the system's keyring. Only for questions that are the engine's own (a password
       * of a host, a passphrase of a key file): a host chooses its texts itself and must not be able to ask for another one's secret.
       */
      keepAs?: string
      /** The kept answer was wrong, or it is asked for once more: don't answer by yourself. */
      again?: boolean
    }
  | { id: string; kind: 'host_key'; host: string; keyType: string; fingerprint: string }

export const answerPromptInput = z.discriminatedUnion('kind', [
  /** Without a value: cancelled. The value is never logged or stored. */
  z.strictObject({ kind: z.literal('secret'), id: z.string(), value: z.string().max(4096).optional() }),
  z.strictObject({ kind: z.literal('host_key'), id: z.string(), trust: z.boolean() }),
])

/** `why`: nobody answered; the question was taken away, because what asked it (a connection) is gone. */
export type PromptsChange = { upsert: PromptView } | { remove: string; why?: string }

export interface PromptsApi {
  watch(signal: AbortSignal): FeedOf<PromptView[], PromptsChange>
  answer(input: z.infer<typeof answerPromptInput>): Promise<void>
}
