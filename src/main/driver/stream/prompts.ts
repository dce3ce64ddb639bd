import { fitLength } from './fit-length.ts'
import { contextTooShort, ownTextTooShort } from './prompt-errors.ts'
import { fillerPieces, fitPieces } from './fit-pieces.ts'
import { createIdPrompts } from './prompt-ids.ts'
import { sha256Of } from './request-body.ts'
import { SHORT_TASK, taskText } from './tasks.ts'
import { createOwnText, createSeededText, cutAtWord, type TextSource } from './text.ts'
import type { BuiltPrompt, PromptContent, PromptSource, PromptSourceOptions, PromptSpec } from './types.ts'

/** Room in every base prompt's task, so that a like prompt with a longer nonce or task can be brought to the same length. */
const SLACK_PIECES = 16
const TOKENIZE_CALLS = 12
/** Each of these is a whole prefill. */
const USAGE_CALLS = 6
const USAGE_TOLERANCE = 0.0005
const LIKE_CALLS = 8
/** Until the first count tells better. */
const CHARS_PER_TOKEN = 4.4

/** A task with pieces that may be taken away or added: they read as a list of what to treat. */
const longTask = (number: number, pieces: readonly string[]): string => `${taskText(number)} Mention also${pieces.join('')}.`

/**
 * Prompts of an exact length. A prompt is nonce, document and task, in one user message: nonce first, so that nothing before it can be
 * cached, task last. Context 0 is the task alone.
 */
export function createPromptSource({ seed, endpoint, counter, texts }: PromptSourceOptions): PromptSource {
  let charsPerToken = CHARS_PER_TOKEN
  const sources = new Map<number, TextSource>()
  const baseTokens = new WeakMap<BuiltPrompt, Promise<number>>()

  function sourceOf(variant: number): TextSource {
    let source = sources.get(variant)
    if (!source) {
      source = texts ? createOwnText(texts, variant) : createSeededText(seed, variant)
      // Only the first document is asked for again and again (one per context); keeping all would hold C long texts.
      if (variant === 0) sources.set(variant, source)
    }
    return source
  }

  const contentOf = (text: string): PromptContent =>
    endpoint === 'chat' ? { messages: [{ role: 'user', content: text }] } : { prompt: text }

  const join = (nonce: string, document: string, task: string): PromptContent =>
    contentOf([nonce, document, task].filter((part) => part !== '').join('\n\n'))

  function finished(spec: PromptSpec, parts: BuiltPrompt['parts'], countedTokens: number, countCalls: number): BuiltPrompt {
    const content = join(parts.nonce, parts.document, parts.task)
    const exact = spec.contextTokens === 0 || countedTokens === spec.contextTokens
    const { contextTokens } = spec
    return { contextTokens, content, countedTokens, exact, method: counter.method, sha256: sha256Of(content), countCalls, parts }
  }

  async function buildTask(spec: PromptSpec): Promise<BuiltPrompt> {
    const parts = { nonce: '', document: '', task: taskText(spec.task ?? 0) }
    return finished(spec, parts, await counter.count(join('', '', parts.task)), 1)
  }

  async function fitWith(spec: PromptSpec, task: string): Promise<BuiltPrompt | undefined> {
    const { contextTokens } = spec
    const source = sourceOf(spec.textVariant ?? 0)
    // Room for a first guess that is far off: tokens of up to 16 characters.
    const maxChars = texts ? source.text(0).length : contextTokens * 16
    const usage = counter.method === 'usage'
    // What is counted by real requests must not warm the cache of what will be measured.
    const nonce = usage ? spec.nonce.split(' ').reverse().join(' ') : spec.nonce
    const documentOf = (chars: number, pieces: readonly string[]): string =>
      cutAtWord(source.text(chars), chars) + pieces.join('')
    const fitted = await fitLength({
      target: contextTokens,
      count: (chars, pieces) => counter.count(join(nonce, documentOf(chars, pieces).trim(), task)),
      maxChars,
      charsPerToken,
      calls: usage ? USAGE_CALLS : TOKENIZE_CALLS,
      tolerance: usage ? Math.floor(contextTokens * USAGE_TOLERANCE) : 0,
    })
    if (!fitted) return undefined
    if (texts && fitted.chars === maxChars && contextTokens - fitted.counted > Math.max(8, contextTokens * 0.001)) {
      throw ownTextTooShort(contextTokens, fitted.counted)
    }
    if (fitted.chars > 4000) charsPerToken = fitted.chars / fitted.counted
    const parts = { nonce: spec.nonce, document: documentOf(fitted.chars, fitted.pieces).trim(), task }
    return finished(spec, parts, fitted.counted, fitted.calls)
  }

  async function buildWhole(spec: PromptSpec): Promise<BuiltPrompt> {
    for (const task of [longTask(spec.task ?? 0, fillerPieces(SLACK_PIECES)), taskText(spec.task ?? 0), SHORT_TASK]) {
      const built = await fitWith(spec, task)
      if (built) return built
    }
    throw contextTooShort(spec.contextTokens, await counter.count(join(spec.nonce, '', SHORT_TASK)))
  }

  /** Nonce and task are counted alone: behind the paragraph break nothing merges with what comes before it. */
  const countEnds = (nonce: string, task: string): Promise<number> => counter.count(join(nonce, '', task))

  async function buildLike(spec: PromptSpec, base: BuiltPrompt): Promise<BuiltPrompt> {
    let ends = baseTokens.get(base)
    if (!ends) baseTokens.set(base, (ends = countEnds(base.parts.nonce, base.parts.task)))
    const target = await ends
    let best = { task: '', left: Infinity }
    let calls = 0
    const probe = async (pieces: readonly string[]): Promise<number> => {
      const task = longTask(spec.task ?? 0, pieces)
      const left = target - (await countEnds(spec.nonce, task))
      calls += 1
      if (Math.abs(left) < Math.abs(best.left)) best = { task, left }
      return left
    }
    const pieces = fillerPieces(SLACK_PIECES)
    await fitPieces({ left: await probe(pieces), pieces, probe, mayGoOn: () => calls < LIKE_CALLS })
    const parts = { nonce: spec.nonce, document: base.parts.document, task: best.task }
    return finished(spec, parts, base.countedTokens - best.left, calls)
  }

  if (endpoint === 'completions' && counter.tokenIds) {
    return createIdPrompts({ sourceOf, tokenIds: counter.tokenIds, isOwnText: texts !== undefined })
  }
  return {
    build(spec) {
      if (spec.contextTokens === 0) return buildTask(spec)
      return spec.like && spec.like.contextTokens === spec.contextTokens ? buildLike(spec, spec.like) : buildWhole(spec)
    },
  }
}
