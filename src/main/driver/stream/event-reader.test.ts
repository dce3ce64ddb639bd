import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readEventFacts } from './event-facts.ts'
import { createEventReader } from './event-reader.ts'

const role =
  '{"id":"chatcmpl-1","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":{"prompt_tokens":9,"total_tokens":9,"completion_tokens":0}}'

describe('event facts', () => {
  test('knows output by content, reasoning, tool text and token ids; the role chunk has none', () => {
    const facts = (choice: object) => readEventFacts(JSON.stringify({ choices: [choice] }))
    expect(readEventFacts(role)).toMatchObject({ hasOutput: false, completionTokens: 0, promptTokens: 9 })
    expect(facts({ delta: { content: 'a' } })).toMatchObject({ hasOutput: true, content: 'a' })
    expect(facts({ text: 'b' })).toMatchObject({ hasOutput: true, content: 'b' })
    expect(facts({ delta: { reasoning: 'c' } })).toMatchObject({ hasOutput: true, reasoning: 'c' })
    expect(facts({ delta: { reasoning_content: 'd' } })).toMatchObject({ hasOutput: true, reasoning: 'd' })
    expect(facts({ delta: { reasoning: 'e', reasoning_content: 'e' } })).toMatchObject({ reasoning: 'e' })
    expect(facts({ delta: { tool_calls: [{ function: { arguments: '{"x"' } }] } })).toMatchObject({ hasOutput: true })
    expect(facts({ delta: { tool_calls: [] } })).toMatchObject({ hasOutput: false })
    expect(facts({ delta: { content: '' }, token_ids: [5] })).toMatchObject({ hasOutput: true })
    expect(facts({ delta: {}, finish_reason: 'length' })).toMatchObject({ hasOutput: false, finishReason: 'length' })
  })

  test('knows a step whose text is held back from the chunk that opens the answer', () => {
    const facts = (choice: object) => readEventFacts(JSON.stringify({ choices: [choice] }))
    expect(readEventFacts(role).isEmptyStep).toBe(false)
    expect(facts({ delta: { content: '' } })).toMatchObject({ hasOutput: false, isEmptyStep: true })
    expect(facts({ text: '' })).toMatchObject({ hasOutput: false, isEmptyStep: true })
    expect(facts({ delta: {}, finish_reason: 'stop' }).isEmptyStep).toBe(false)
    expect(facts({ delta: { content: 'a' } }).isEmptyStep).toBe(false)
  })

  test('reads final usage without choices, cached tokens, and errors of every shape', () => {
    const usage = { prompt_tokens: 8192, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 8176 } }
    expect(readEventFacts(JSON.stringify({ choices: [], usage }))).toMatchObject({
      hasOutput: false,
      completionTokens: 7,
      promptTokens: 8192,
      cachedTokens: 8176,
    })
    expect(readEventFacts('{"choices":[],"usage":{"prompt_tokens_details":null}}').cachedTokens).toBeUndefined()
    expect(readEventFacts('{"error":{"message":"out of memory","code":500}}').error).toBe('out of memory')
    expect(readEventFacts('{"error":"Unauthorized"}').error).toBe('Unauthorized')
    expect(readEventFacts('{"object":"error","message":"no"}').error).toBe('no')
    expect(readEventFacts('{"error":null,"choices":[]}').error).toBeUndefined()
    expect(readEventFacts('null')).toMatchObject({ hasOutput: false })
  })
})

describe('event reader', () => {
  const piece = fc.oneof(
    fc.string({ maxLength: 8 }),
    fc.string({ unit: 'grapheme', maxLength: 4 }),
    fc.constantFrom('"', '\\', '\n', '\u0001', 'null', '"content":"x"'),
  )
  const event = fc.record({
    piece,
    key: fc.constantFrom('content', 'reasoning', 'reasoning_content', 'text'),
    tokens: fc.nat(300_000),
    usage: fc.constantFrom('vllm', 'openai', 'details', 'none'),
    finish: fc.constantFrom(null, null, null, 'length'),
    ids: fc.boolean(),
  })

  function write(e: { piece: string; key: string; tokens: number; usage: string; finish: string | null; ids: boolean }): string {
    const total = e.tokens + 12
    const usages: Record<string, object | undefined> = {
      vllm: { prompt_tokens: 12, total_tokens: total, completion_tokens: e.tokens },
      openai: {
        prompt_tokens: 12,
        completion_tokens: e.tokens,
        total_tokens: total,
        prompt_tokens_details: { cached_tokens: 3 },
      },
      details: {
        prompt_tokens: 12,
        total_tokens: total,
        completion_tokens: e.tokens,
        completion_tokens_details: { reasoning_tokens: e.tokens },
      },
    }
    const text = e.key === 'text' ? { text: e.piece } : { delta: { [e.key]: e.piece } }
    return JSON.stringify({
      id: 'chatcmpl-"content":"x"',
      object: 'chat.completion.chunk',
      model: 'qwen',
      choices: [{ index: 0, ...text, logprobs: null, finish_reason: e.finish, token_ids: e.ids ? [1, 2] : null }],
      usage: usages[e.usage],
    })
  }

  test('says the same as JSON.parse for any order of any events', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const read = createEventReader()
        for (const each of events) {
          const data = write(each)
          expect({ ...read(data) }).toEqual(readEventFacts(data))
        }
      }),
    )
  })

  test('refuses what JSON.parse refuses, also where it looks like the events before', () => {
    const good = write({ piece: 'abc', key: 'content', tokens: 5, usage: 'vllm', finish: null, ids: false })
    fc.assert(
      fc.property(fc.nat(good.length), fc.nat(good.length), fc.string({ maxLength: 3 }), (from, length, put) => {
        const read = createEventReader()
        read(good)
        read(good.replace('"completion_tokens":5', '"completion_tokens":6'))
        const damaged = good.slice(0, from) + put + good.slice(from + (length % 4))
        let expected: unknown
        try {
          expected = readEventFacts(damaged)
        } catch {
          expect(() => read(damaged)).toThrow(SyntaxError)
          return
        }
        expect({ ...read(damaged) }).toEqual(expected)
      }),
      { numRuns: 2000 },
    )
  })
})
