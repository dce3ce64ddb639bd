import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { modePrompt, promptNonce } from './prompt-modes.ts'
import { createPromptSource } from './prompts.ts'
import { createSeededText } from './text.ts'
import { taskText } from './tasks.ts'
import { encodeBody, requestTemplate } from './request-body.ts'
import type { PromptContent, TokenCounter } from './types.ts'
import { NOUNS } from './words.ts'

type CountText = (text: string) => number

/** Tokenizers of very different kinds; a server's count adds its template. */
const tokenizers: Record<string, CountText> = {
  words: (text) => (text.match(/\s?[A-Za-z]+|\d|[^\sA-Za-z\d]|\s+/g) ?? []).length,
  // Long words are several tokens, digits come in threes, and what follows a quote or comma merges with it.
  bpe: (text) =>
    (text.match(/["',]? ?[A-Za-z]+|\d{1,3}|[^\sA-Za-z\d]+|\s+/g) ?? []).reduce(
      (sum, piece) => sum + Math.max(1, Math.round(piece.length / 5.3)),
      0,
    ),
  // One token for four bytes, whatever they are: nothing is ever additive.
  bytes: (text) => Math.ceil(Buffer.byteLength(text) / 4),
  // A tiny vocabulary: nearly every letter is a token, pairs merge.
  letters: (text) => (text.match(/th|he|in|er|an|re|[^]/g) ?? []).length,
}

const textOf = (content: PromptContent): string =>
  'messages' in content ? content.messages.map((message) => message.content).join('<|im|>') : String(content.prompt)

function counterOf(
  count: CountText,
  overhead: number,
  method: TokenCounter['method'] = 'tokenize',
): TokenCounter & { calls: number } {
  const counter = {
    method,
    calls: 0,
    async count(content: PromptContent) {
      counter.calls += 1
      return count(textOf(content)) + overhead
    },
  }
  return counter
}

const nonce = promptNonce({ runId: 'r1', epoch: 1, contextTokens: 8192 })

describe('chat prompts', () => {
  test.each(Object.keys(tokenizers))('have exactly the length asked for (%s)', async (name) => {
    const counter = counterOf(tokenizers[name] as CountText, 31)
    const source = createPromptSource({ seed: 1, endpoint: 'chat', counter })
    for (const contextTokens of [900, 2048, 8192, 16_384, 65_536, 257_024]) {
      const built = await source.build({ contextTokens, nonce })
      expect(built).toMatchObject({ exact: true, countedTokens: contextTokens, method: 'tokenize' })
      expect(built.countCalls).toBeLessThanOrEqual(12)
      expect(await counter.count(built.content)).toBe(contextTokens)
      expect(textOf(built.content).startsWith(nonce)).toBe(true)
      expect(textOf(built.content)).toContain(taskText(0).slice(0, 60))
    }
  })

  test('whatever the length, template and seed, a prompt is exact or says its true length within 0.1 %', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(tokenizers)),
        fc.integer({ min: 700, max: 20_000 }),
        fc.integer({ min: 0, max: 300 }),
        fc.nat(0xffff_ffff),
        async (name, contextTokens, overhead, seed) => {
          const counter = counterOf(tokenizers[name] as CountText, overhead)
          const built = await createPromptSource({ seed, endpoint: 'chat', counter }).build({ contextTokens, nonce })
          expect(built.countedTokens).toBe(await counter.count(built.content))
          expect(Math.abs(built.countedTokens - contextTokens)).toBeLessThanOrEqual(Math.max(1, contextTokens / 1000))
          expect(built.exact).toBe(built.countedTokens === contextTokens)
        },
      ),
      { numRuns: 60 },
    )
  })

  test('the same seed gives the same text, another seed or variant another', async () => {
    const build = async (seed: number, textVariant = 0) =>
      (
        await createPromptSource({ seed, endpoint: 'chat', counter: counterOf(tokenizers.bpe as CountText, 20) }).build({
          contextTokens: 4096,
          nonce,
          textVariant,
        })
      ).sha256
    expect(await build(1)).toBe(await build(1))
    expect(new Set([await build(1), await build(2), await build(1, 1)]).size).toBe(3)
  })

  test('context 0 is the task alone', async () => {
    const built = await createPromptSource({
      seed: 1,
      endpoint: 'chat',
      counter: counterOf(tokenizers.bpe as CountText, 20),
    }).build({ contextTokens: 0, nonce })
    expect(built.content).toEqual({ messages: [{ role: 'user', content: taskText(0) }] })
    expect(built).toMatchObject({ exact: true, countCalls: 1 })
  })

  test('short contexts get shorter tasks, and too short ones say what is possible', async () => {
    const source = createPromptSource({ seed: 1, endpoint: 'chat', counter: counterOf(tokenizers.words as CountText, 20) })
    for (const contextTokens of [48, 64, 100, 128]) {
      const built = await source.build({ contextTokens, nonce })
      expect(built).toMatchObject({ exact: true, countedTokens: contextTokens })
    }
    await expect(source.build({ contextTokens: 16, nonce })).rejects.toMatchObject({ code: 'plan' })
  })

  test.each(Object.keys(tokenizers))(
    'like another: same document and length, other nonce or task, few short counts (%s)',
    async (name) => {
      const counter = counterOf(tokenizers[name] as CountText, 31)
      const source = createPromptSource({ seed: 1, endpoint: 'chat', counter })
      const base = await source.build({ contextTokens: 8192, nonce })
      for (let stream = 1; stream <= 12; stream++) {
        const built = await source.build({
          contextTokens: 8192,
          nonce: promptNonce({ runId: 'r1', epoch: 1, contextTokens: 8192, extra: `${stream}` }),
          task: stream,
          like: base,
        })
        expect(built.parts.document).toBe(base.parts.document)
        expect(built.sha256).not.toBe(base.sha256)
        expect(Math.abs((await counter.count(built.content)) - 8192)).toBeLessThanOrEqual(1)
      }
    },
  )

  test('by usage: few counts, a nonce of its own for them, the length within 0.1 %', async () => {
    const asked: string[] = []
    const inner = counterOf(tokenizers.bpe as CountText, 40, 'usage')
    const counter: TokenCounter = { method: 'usage', count: (content) => (asked.push(textOf(content)), inner.count(content)) }
    const built = await createPromptSource({ seed: 1, endpoint: 'chat', counter }).build({ contextTokens: 32_768, nonce })
    expect(asked.length).toBeLessThanOrEqual(6)
    expect(asked.some((text) => text.startsWith(nonce))).toBe(false)
    expect(Math.abs((await inner.count(built.content)) - 32_768)).toBeLessThanOrEqual(32)
    expect(built.method).toBe('usage')
  })
})

describe('own texts', () => {
  const counter = () => counterOf(tokenizers.bpe as CountText, 31)

  test('are used in order, another variant begins with another one', async () => {
    const texts = [createSeededText(5, 1).text(30_000), createSeededText(5, 2).text(30_000)]
    const source = createPromptSource({ seed: 1, endpoint: 'chat', counter: counter(), texts })
    const first = await source.build({ contextTokens: 2048, nonce })
    const second = await source.build({ contextTokens: 2048, nonce, textVariant: 1 })
    expect(first).toMatchObject({ exact: true })
    expect(first.parts.document.slice(0, 500)).toBe(texts[0]?.slice(0, 500))
    expect(second.parts.document.slice(0, 500)).toBe(texts[1]?.slice(0, 500))
  })

  test('that are too short are refused with the numbers', async () => {
    const source = createPromptSource({ seed: 1, endpoint: 'chat', counter: counter(), texts: ['Only a few words.'] })
    await expect(source.build({ contextTokens: 4096, nonce })).rejects.toMatchObject({
      code: 'plan',
      message: expect.stringContaining('4096') as string,
    })
  })
})

describe('token ids for completions', () => {
  const BOS = 1
  const ids: TokenCounter = {
    method: 'tokenize',
    count: async () => 0,
    tokenIds: async (text, special) => [
      ...(special ? [BOS] : []),
      ...(text.match(/\s?\w+|\W/g) ?? []).map((piece) => 10 + piece.length),
    ],
  }

  test('are exact, begin with the special tokens and the nonce, and are cut anywhere', async () => {
    const source = createPromptSource({ seed: 1, endpoint: 'completions', counter: ids })
    for (const contextTokens of [64, 2048, 257_024]) {
      const built = await source.build({ contextTokens, nonce })
      expect(built).toMatchObject({ exact: true, countedTokens: contextTokens, method: 'token-ids' })
      const prompt = 'prompt' in built.content ? built.content.prompt : []
      expect(prompt).toHaveLength(contextTokens)
      expect(prompt[0]).toBe(BOS)
    }
  })

  test('do not depend on what was built before', async () => {
    const shaOf = async (contexts: number[]) => {
      const source = createPromptSource({ seed: 1, endpoint: 'completions', counter: ids })
      let sha = ''
      for (const contextTokens of contexts) sha = (await source.build({ contextTokens, nonce })).sha256
      return sha
    }
    expect(await shaOf([30_000])).toBe(await shaOf([2048, 60_000, 8192, 30_000]))
  })
})

describe('text', () => {
  test('has no cycle: no run of sixteen words comes twice in a quarter of a million tokens', () => {
    const words = createSeededText(1, 0).text(1_100_000).split(/\s+/)
    const seen = new Set<string>()
    let repeats = 0
    for (let at = 0; at + 16 <= words.length; at++) {
      const run = words.slice(at, at + 16).join(' ')
      if (seen.has(run)) repeats += 1
      seen.add(run)
    }
    expect(words.length).toBeGreaterThan(150_000)
    expect(repeats).toBe(0)
  })

  test('a longer piece continues a shorter one, however it is asked for', () => {
    const steps = createSeededText(9, 3)
    steps.text(100)
    steps.text(5000)
    expect(steps.text(40_000)).toBe(createSeededText(9, 3).text(40_000))
  })
})

describe('modes', () => {
  const place = { runId: 'r1', epoch: 1, contextTokens: 8192, concurrency: 4, repeat: 1, attempt: 1, stream: 0, ordinal: 0 }
  const prompts = (mode: Parameters<typeof modePrompt>[0]) =>
    [0, 1, 2].flatMap((stream) => [0, 1].map((ordinal) => modePrompt(mode, { ...place, stream, ordinal })))
  const different = (list: string[]): number => new Set(list).size

  test('say who shares what', () => {
    const shared = prompts('shared')
    expect(different(shared.map((prompt) => prompt.key))).toBe(1)
    const prefix = prompts('shared-prefix')
    expect([different(prefix.map((prompt) => prompt.key)), different(prefix.map((prompt) => prompt.spec.nonce))]).toEqual([3, 1])
    expect(different(prefix.map((prompt) => taskText(prompt.spec.task ?? 0)))).toBe(3)
    const distinct = prompts('distinct')
    expect([different(distinct.map((prompt) => prompt.key)), different(distinct.map((prompt) => prompt.spec.nonce))]).toEqual([
      3, 3,
    ])
    const cold = prompts('cold')
    expect([different(cold.map((prompt) => prompt.key)), different(cold.map((prompt) => prompt.spec.nonce))]).toEqual([6, 6])
  })

  test('a nonce is its own for run, epoch and context', () => {
    expect(NOUNS).toHaveLength(256)
    expect(new Set(NOUNS).size).toBe(256)
    const parts = { runId: 'r1', epoch: 1, contextTokens: 8192 }
    const nonces = [
      parts,
      { ...parts, runId: 'r2' },
      { ...parts, epoch: 2 },
      { ...parts, contextTokens: 16_384 },
      { ...parts, extra: 'prefill 2' },
    ].map(promptNonce)
    expect(different(nonces)).toBe(5)
    expect(promptNonce(parts)).toBe(nonces[0])
  })

  test('tasks go on without repeating', () => {
    expect(different(Array.from({ length: 4096 }, (_, number) => taskText(number)))).toBe(4096)
  })
})

test('bodies are as published, and the template holds no text', () => {
  const content = { messages: [{ role: 'user' as const, content: 'secret plan é' }] }
  const options = { model: 'qwen', maxTokens: 4096 }
  expect(JSON.parse(encodeBody(content, options).toString())).toEqual({
    model: 'qwen',
    messages: content.messages,
    stream: true,
    max_tokens: 4096,
    ignore_eos: true,
    stream_options: { include_usage: true, continuous_usage_stats: true },
  })
  expect(JSON.parse(encodeBody({ prompt: [1, 2] }, { ...options, temperature: 0, ignoreEos: false }).toString())).toEqual({
    model: 'qwen',
    prompt: [1, 2],
    stream: true,
    max_tokens: 4096,
    temperature: 0,
    stream_options: { include_usage: true, continuous_usage_stats: true },
  })
  expect(JSON.stringify(requestTemplate(content, options))).not.toContain('secret')
})
