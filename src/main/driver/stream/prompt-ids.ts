import { contextTooShort, ownTextTooShort } from './prompt-errors.ts'
import { sha256Of } from './request-body.ts'
import { taskText, SHORT_TASK } from './tasks.ts'
import { cutAtWord, type TextSource } from './text.ts'
import type { BuiltPrompt, PromptSource, PromptSpec } from './types.ts'

const CHARS_PER_TOKEN = 4.6
const FIRST_PIECE_CHARS = 8000

interface IdPromptsOptions {
  sourceOf: (variant: number) => TextSource
  tokenIds: (text: string, addSpecialTokens: boolean) => Promise<number[]>
  isOwnText: boolean
}

/**
 * Prompts of token ids for /v1/completions: nonce, as much of the document as is missing, task. Exact by construction, and nothing has
 * to be tokenized inside TTFT.
 */
export function createIdPrompts({ sourceOf, tokenIds, isOwnText }: IdPromptsOptions): PromptSource {
  const documents = new Map<number, number[]>()
  const tasks = new Map<string, number[]>()
  let charsPerToken = CHARS_PER_TOKEN
  let calls = 0

  async function ids(text: string, addSpecialTokens: boolean): Promise<number[]> {
    calls += 1
    return tokenIds(text, addSpecialTokens)
  }

  /** At least `wanted` ids of the document; the same ones at the start whatever is asked for. */
  async function documentIds(variant: number, wanted: number): Promise<number[]> {
    let known = documents.get(variant) ?? []
    const source = sourceOf(variant)
    let chars = Math.max(FIRST_PIECE_CHARS, Math.ceil(wanted * charsPerToken * 1.02))
    while (known.length < wanted) {
      const text = source.text(chars)
      known = await ids(isOwnText ? text : cutAtWord(text, chars), false)
      if (isOwnText) break
      // The last word may be tokenized otherwise where the text goes on: the ids shall not depend on how much was asked for.
      known = known.slice(0, -4)
      charsPerToken = chars / Math.max(1, known.length)
      chars = Math.ceil(Math.max(chars * 1.2, wanted * charsPerToken * 1.05))
    }
    if (variant === 0) documents.set(variant, known)
    return known
  }

  async function taskIds(task: string): Promise<number[]> {
    const known = tasks.get(task) ?? (await ids(task, false))
    tasks.set(task, known)
    return known
  }

  function finished(spec: PromptSpec, prompt: number[], parts: BuiltPrompt['parts'], countCalls: number): BuiltPrompt {
    const content = { prompt }
    const { contextTokens } = spec
    return {
      contextTokens,
      content,
      countedTokens: prompt.length,
      exact: true,
      method: 'token-ids',
      sha256: sha256Of(content),
      countCalls,
      parts,
    }
  }

  async function build(spec: PromptSpec): Promise<BuiltPrompt> {
    const before = calls
    const { contextTokens, nonce } = spec
    const task = taskText(spec.task ?? 0)
    if (contextTokens === 0) {
      return finished(spec, await ids(task, true), { nonce: '', document: '', task }, calls - before)
    }
    const nonceIds = await ids(`${nonce}\n\n`, true)
    let end = await taskIds(`\n\n${task}`)
    if (nonceIds.length + end.length > contextTokens) end = await taskIds(`\n\n${SHORT_TASK}`)
    const wanted = contextTokens - nonceIds.length - end.length
    if (wanted < 0) throw contextTooShort(contextTokens, nonceIds.length + end.length)
    const document = await documentIds(spec.textVariant ?? 0, wanted)
    if (document.length < wanted) throw ownTextTooShort(contextTokens, document.length + nonceIds.length + end.length)
    const prompt = [...nonceIds, ...document.slice(0, wanted), ...end]
    return finished(spec, prompt, { nonce, document: '', task, documentIds: document }, calls - before)
  }

  return { build }
}
