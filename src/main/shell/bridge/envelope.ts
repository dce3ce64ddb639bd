import { z } from 'zod'

/** Everything the renderer says comes through one channel as text. Both limits are in UTF-16 units. */
export const BRIDGE_CHANNEL = 'speedgrid'
const TEXT_LIMIT = 32 * 1024 * 1024
const FRAME_LIMIT = 4 * 1024 * 1024

const path = z.string().min(1).max(4096)
const extensions = z.array(z.string().regex(/^[a-z0-9]{1,10}$/)).max(10)
const secretName = z.string().min(1).max(1000)

/** What the renderer may call the shell for. Adding one: its input here, its code in `calls.ts`. */
export const callInputs = {
  /** Asked once by each socket of the page: opens its connection, answers whether the engine is up. */
  engine: z.null(),
  abilities: z.null(),
  saveFile: z.strictObject({ suggestedName: z.string().min(1).max(255), extensions: extensions.optional() }),
  openFile: z.strictObject({ title: z.string().max(200), extensions: extensions.optional() }),
  reveal: z.strictObject({ path }),
  notify: z.strictObject({
    title: z.string().min(1).max(200),
    body: z.string().max(1000),
    route: z.string().startsWith('#/').max(2000).optional(),
  }),
  attach: z.strictObject({ url: z.string().min(1).max(2000) }),
  detach: z.null(),
  appearance: z.strictObject({ appearance: z.enum(['light', 'dark', 'system']) }),
  /** The report's HTML as PDF or PNG, written to a path the person chose in `saveFile`. */
  printReport: z.strictObject({ html: z.string().min(1), format: z.enum(['pdf', 'png']), path }),
  keepSecret: z.strictObject({ name: secretName, value: z.string().min(1).max(4096) }),
  forgetSecret: z.strictObject({ name: secretName }),
  keptSecrets: z.null(),
  /** Answers a question of the engine with a kept secret; its value never passes through the page. */
  answerPrompt: z.strictObject({ name: secretName, promptId: z.string().min(1).max(100) }),
} satisfies Record<string, z.ZodType>

export type CallName = keyof typeof callInputs
export type CallInput<Name extends CallName> = z.infer<(typeof callInputs)[Name]>

const envelope = z.discriminatedUnion('to', [
  z.strictObject({ to: z.literal('engine'), data: z.string().max(FRAME_LIMIT) }),
  z.strictObject({ to: z.literal('shell'), id: z.int().min(0), call: z.string().max(50), input: z.unknown() }),
])
type FromPage = z.infer<typeof envelope>

/** Undefined for anything that is no envelope. */
export function readFromPage(text: unknown): FromPage | undefined {
  if (typeof text !== 'string' || text.length > TEXT_LIMIT) return undefined
  try {
    return envelope.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

export const isCallName = (name: string): name is CallName => Object.hasOwn(callInputs, name)

export type EngineLife = 'up' | 'down' | 'restarting'
export type ToPage =
  | { from: 'engine'; data: string }
  | { from: 'shell'; id: number; ok: true; value: unknown }
  | { from: 'shell'; id: number; ok: false; error: string }
  | { from: 'shell'; event: 'menu'; command: string }
  | { from: 'shell'; event: 'engine'; state: EngineLife }
  | { from: 'shell'; event: 'open'; route: string }
