import { describe, expect, test } from 'vitest'
import { countFixedOpening } from './fixed-opening.ts'
import { createTokenizeCounter, createUsageTokenCounter, detectCounter } from './token-counter.ts'
import type { DriverClient } from './types.ts'

interface Asked {
  path: string
  json: Record<string, unknown>
}

function clientOf(answer: (asked: Asked) => { status?: number; body: unknown }): DriverClient & { asked: Asked[] } {
  const asked: Asked[] = []
  return {
    asked,
    stream: () => {
      throw new Error('not used')
    },
    request: async (_method, path, options) => {
      const each = { path, json: options?.json as Record<string, unknown> }
      asked.push(each)
      const { status = 200, body } = answer(each)
      return { status, headers: {}, text: typeof body === 'string' ? body : JSON.stringify(body), latencyMs: 1, endMs: 1 }
    },
    dispose: () => undefined,
  }
}

const chat = { messages: [{ role: 'user' as const, content: 'hello' }] }

describe('token counters', () => {
  test('/tokenize: messages, text and ids', async () => {
    const client = clientOf(({ json }) => ({ body: { count: 'messages' in json ? 25 : 5, tokens: [1, 2, 3] } }))
    const counter = createTokenizeCounter(client, 'qwen')
    expect(await counter.count(chat)).toBe(25)
    expect(await counter.count({ prompt: 'hello' })).toBe(5)
    expect(await counter.count({ prompt: [7, 7] })).toBe(2)
    expect(await counter.tokenIds?.('hello', false)).toEqual([1, 2, 3])
    expect(client.asked.map((each) => each.json)).toEqual([
      { model: 'qwen', ...chat },
      { model: 'qwen', prompt: 'hello' },
      { model: 'qwen', prompt: 'hello', add_special_tokens: false },
    ])
  })

  test('the fixed opening of a chat template is what two unlike prompts begin with', async () => {
    const opening = [151644, 8948, 198]
    const client = clientOf(({ json }) => {
      const text = JSON.stringify(json)
      return { body: { count: 9, tokens: [...('messages' in json ? opening : []), text.includes('Amber') ? 7 : 5, 3] } }
    })
    expect(await countFixedOpening(createTokenizeCounter(client, 'qwen'), 'chat')).toBe(3)
    expect(await countFixedOpening(createTokenizeCounter(client, 'qwen'), 'completions')).toBe(0)
    const untold = clientOf(() => ({ body: { count: 9 } }))
    expect(await countFixedOpening(createTokenizeCounter(untold, 'qwen'), 'chat')).toBeUndefined()
    const same = clientOf(() => ({ body: { count: 2, tokens: [1, 2] } }))
    expect(await countFixedOpening(createTokenizeCounter(same, 'qwen'), 'chat')).toBeUndefined()
    expect(await countFixedOpening(createUsageTokenCounter(client, 'qwen'), 'chat')).toBeUndefined()
  })

  test('usage: one output token each', async () => {
    const client = clientOf(() => ({ body: { usage: { prompt_tokens: 31 } } }))
    expect(await createUsageTokenCounter(client, 'qwen').count(chat)).toBe(31)
    expect(client.asked[0]).toEqual({
      path: '/v1/chat/completions',
      json: { model: 'qwen', ...chat, max_tokens: 1, stream: false },
    })
    await expect(
      createUsageTokenCounter(
        clientOf(() => ({ body: {} })),
        'qwen',
      ).count(chat),
    ).rejects.toMatchObject({ code: 'http' })
  })

  test.each([
    [404, '{"detail":"Not Found"}'],
    [200, '<html>hello</html>'],
    [200, '{"count":"many"}'],
  ])('a server without /tokenize is counted by usage (%i %s)', async (status, body) => {
    const client = clientOf(() => ({ status, body }))
    expect(await detectCounter(client, 'qwen', 'chat')).toMatchObject({ method: 'usage' })
  })

  test('a refused key is said, not worked around', async () => {
    const client = clientOf(() => ({ status: 401, body: { error: 'Unauthorized' } }))
    await expect(detectCounter(client, 'qwen', 'chat')).rejects.toMatchObject({ code: 'unauthorized' })
  })
})
