import type { Plan } from '../../../shared/model/plan.ts'
import { type ModePrompt, modePrompt, promptNonce, type RequestPlace } from '../stream/prompt-modes.ts'
import { encodeBody, endpointPath, requestTemplate } from '../stream/request-body.ts'
import type { BodyOptions, BuiltPrompt, PromptContent, PromptSource } from '../stream/types.ts'
import type { NextRequest } from './streams.ts'

export type CellPlace = Pick<RequestPlace, 'contextTokens' | 'concurrency' | 'repeat' | 'attempt'>

/** Everything the driver sends, built once and only when it is needed; equal prompts share one Buffer. */
export interface PromptBook {
  /** A measured request. A promise only where the prompt has to be built first. */
  next(place: CellPlace, stream: number, ordinal: number, replacement: number): NextRequest | Promise<NextRequest>
  /** One output token of the prompt that a cell's stream sends: fills the cache for it. */
  scout(place: CellPlace, stream: number): Promise<NextRequest>
  /** One output token of a prompt whose beginning was never seen. */
  coldPrefill(contextTokens: number, name: string): Promise<NextRequest>
  /** The short task alone, for warming up. */
  short(maxTokens: number): Promise<NextRequest>
  /** Body of a measured request without its text. */
  template(): Promise<Record<string, unknown>>
  /** Builds what the cell's streams send first, so that they start together. */
  prepare(place: CellPlace): Promise<void>
}

interface PromptBookOptions {
  source: PromptSource
  plan: Plan
  runId: string
  epoch: number
  model: string
  /** Whether measured requests ask for the running count of tokens; scouts and warm-ups always do. */
  countsWithEvents: () => boolean
  /** The first prompt of each context as it was built, and how long that took. */
  onBuilt: (prompt: BuiltPrompt, seconds: number) => void
  now: () => number
}

/** Different lengths of first requests that `stagger` spreads the streams over; each costs a body of its own. */
const STAGGER_GROUPS = 8

export function createPromptBook(options: PromptBookOptions): PromptBook {
  const { source, plan, runId, epoch, model } = options
  const bases = new Map<string, Promise<BuiltPrompt>>()
  const bodies = new Map<string, NextRequest | Promise<NextRequest>>()
  const ahead = new Map<string, Promise<NextRequest>>()
  const announced = new Set<number>()
  let bodiesContext = -1

  const bodyOptions = (maxTokens: number, ignoreEos = true, continuousUsage = true): BodyOptions => ({
    model,
    maxTokens,
    ignoreEos,
    continuousUsage,
    ...(plan.temperature === undefined ? {} : { temperature: plan.temperature }),
  })
  const requestOf = (content: PromptContent, maxTokens: number, ignoreEos = true, continuousUsage = true): NextRequest => ({
    path: endpointPath(content),
    body: encodeBody(content, bodyOptions(maxTokens, ignoreEos, continuousUsage)),
    maxTokens,
  })
  const measuredOf = ({ content, countedTokens }: BuiltPrompt, maxTokens: number): NextRequest => ({
    ...requestOf(content, maxTokens, true, options.countsWithEvents()),
    countedTokens,
  })

  async function build(spec: ModePrompt['spec'], like?: BuiltPrompt): Promise<BuiltPrompt> {
    const startMs = options.now()
    const prompt = await source.build(like ? { ...spec, like } : spec)
    if (!announced.has(spec.contextTokens)) {
      announced.add(spec.contextTokens)
      options.onBuilt(prompt, (options.now() - startMs) / 1000)
    }
    return prompt
  }

  function baseOf(base: { spec: ModePrompt['spec']; key: string }): Promise<BuiltPrompt> {
    const known = bases.get(base.key)
    if (known) return known
    const built = build(base.spec)
    bases.set(base.key, built)
    built.catch(() => bases.delete(base.key))
    return built
  }

  async function promptOf({ spec, key, base }: ModePrompt): Promise<BuiltPrompt> {
    // The task alone has no document to keep.
    if (base && spec.contextTokens > 0) return build(spec, await baseOf(base))
    if (key === String(spec.contextTokens)) return baseOf({ spec, key })
    return build(spec)
  }

  function place(cell: CellPlace, stream: number, ordinal: number): RequestPlace {
    return { runId, epoch, ...cell, stream, ordinal }
  }

  function maxTokensOf(stream: number, ordinal: number, concurrency: number): number {
    if (!plan.stagger || ordinal > 1 || concurrency === 1) return plan.maxOutputTokens
    const groups = Math.min(concurrency, STAGGER_GROUPS)
    return Math.max(2, Math.ceil((plan.maxOutputTokens * ((stream % groups) + 1)) / groups))
  }

  function forget(contextTokens: number): void {
    if (contextTokens === bodiesContext) return
    bodiesContext = contextTokens
    bodies.clear()
    ahead.clear()
  }

  function cached(prompt: ModePrompt, maxTokens: number): NextRequest | Promise<NextRequest> {
    const key = `${prompt.key}@${maxTokens}`
    const known = bodies.get(key)
    if (known) return known
    const encoded = promptOf(prompt).then((built) => {
      const request = measuredOf(built, maxTokens)
      bodies.set(key, request)
      return request
    })
    bodies.set(key, encoded)
    encoded.catch(() => bodies.delete(key))
    return encoded
  }

  function cold(cell: CellPlace, stream: number, ordinal: number, maxTokens: number): Promise<NextRequest> {
    const prompt = modePrompt('cold', place(cell, stream, ordinal))
    const waiting = ahead.get(prompt.key)
    ahead.delete(prompt.key)
    return waiting ?? promptOf(prompt).then((built) => measuredOf(built, maxTokens))
  }

  return {
    next(cell, stream, ordinal, replacement) {
      forget(cell.contextTokens)
      const maxTokens = maxTokensOf(stream, ordinal, cell.concurrency)
      if (plan.promptMode === 'cold') {
        const request = cold(cell, stream, ordinal, maxTokens)
        // The next one is built while this one runs: building must not stand between two requests.
        const following = modePrompt('cold', place(cell, stream, ordinal + 1))
        const built = request.then(() => promptOf(following)).then((prompt) => measuredOf(prompt, plan.maxOutputTokens))
        built.catch(() => ahead.delete(following.key))
        ahead.set(following.key, built)
        return request
      }
      const prompt = modePrompt(plan.promptMode, place(cell, stream, ordinal))
      if (replacement === 0) return cached(prompt, maxTokens)
      const task = (prompt.spec.task ?? 0) + 1000 * replacement + stream
      const base = prompt.base ?? { spec: prompt.spec, key: prompt.key }
      return cached({ spec: { ...prompt.spec, task }, key: `${prompt.key}/replaced-${task}`, base }, maxTokens)
    },
    async scout(cell, stream) {
      forget(cell.contextTokens)
      const prompt = modePrompt(plan.promptMode, place(cell, stream, 1))
      const built = await promptOf(prompt)
      const key = `${prompt.key}@${plan.maxOutputTokens}`
      if (!bodies.has(key)) bodies.set(key, measuredOf(built, plan.maxOutputTokens))
      return requestOf(built.content, 1)
    },
    async coldPrefill(contextTokens, name) {
      const base = modePrompt('shared', place({ contextTokens, concurrency: 1, repeat: 1, attempt: 1 }, 0, 1))
      if (contextTokens === 0) return requestOf((await baseOf(base)).content, 1, false)
      const nonce = promptNonce({ runId, epoch, contextTokens, extra: name })
      const prompt = await build({ contextTokens, nonce, task: 0 }, await baseOf(base))
      return requestOf(prompt.content, 1, false)
    },
    async short(maxTokens) {
      const prompt = await source.build({ contextTokens: 0, nonce: '', task: 0 })
      return requestOf(prompt.content, maxTokens)
    },
    async template() {
      const prompt = await source.build({ contextTokens: 0, nonce: '', task: 0 })
      return requestTemplate(prompt.content, bodyOptions(plan.maxOutputTokens, true, options.countsWithEvents()))
    },
    async prepare(cell) {
      forget(cell.contextTokens)
      if (plan.promptMode === 'cold') {
        const maxTokens = (stream: number) => maxTokensOf(stream, 1, cell.concurrency)
        for (let stream = 0; stream < cell.concurrency; stream += 1) {
          const prompt = modePrompt('cold', place(cell, stream, 1))
          const request = await cold(cell, stream, 1, maxTokens(stream))
          ahead.set(prompt.key, Promise.resolve(request))
        }
        return
      }
      for (let stream = 0; stream < cell.concurrency; stream += 1) {
        await cached(modePrompt(plan.promptMode, place(cell, stream, 1)), maxTokensOf(stream, 1, cell.concurrency))
      }
    },
  }
}
