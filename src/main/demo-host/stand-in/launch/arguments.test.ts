import { describe, expect, it } from 'vitest'
import { MACHINES } from '../../machines/index.ts'
import { parseServeArguments, UsageError } from './arguments.ts'
import { planMemory } from './memory.ts'

const serveWords = (words: readonly string[]) => words.slice(words.indexOf('serve') + 1)

describe('arguments of vllm serve', () => {
  it.each(MACHINES)('takes the published launch command of $name', (machine) => {
    const parsed = parseServeArguments([...serveWords(machine.launchWords), '--host', '127.0.0.1', '--port', '8123'])
    expect(parsed).toMatchObject({
      model: machine.model,
      servedNames: ['qwen'],
      host: '127.0.0.1',
      port: 8123,
      maxModelLen: 262_144,
      tensorParallel: machine.tensorParallel,
      reasoning: true,
    })
    expect(parsed.speculation?.draftTokens).toBe(machine.speculation?.draftTokens)
  })

  it('follows argparse: equals signs, underscores, unique prefixes, short forms, lists, dotted keys, negation', () => {
    const parsed = parseServeArguments([
      'm',
      '--port=9',
      '--max_model_len',
      '256K',
      '--gpu-memory-util',
      '0.5',
      '-tp',
      '2',
      '--served-model-name',
      'a',
      'b',
      '--speculative-config.method',
      'ngram',
      '--speculative-config.num_speculative_tokens',
      '3',
      '--no-enable-prefix-caching',
    ])
    expect(parsed).toMatchObject({
      port: 9,
      maxModelLen: 262_144,
      gpuMemoryUtilization: 0.5,
      tensorParallel: 2,
      servedNames: ['a', 'b'],
      speculation: { method: 'ngram', draftTokens: 3 },
      prefixCaching: false,
    })
  })

  it.each([
    ['256k', 256_000],
    ['25.6k', 25_600],
    ['256K', 262_144],
    ['1000', 1000],
    ['auto', 'auto'],
    ['-1', 'auto'],
  ])('reads --max-model-len=%s', (word, expected) => {
    expect(parseServeArguments(['m', `--max-model-len=${word}`]).maxModelLen).toBe(expected)
  })

  it.each([
    [['m', '--bogus-flag', '--port', '1'], 'unrecognized arguments: --bogus-flag'],
    [['m', 'surplus'], 'unrecognized arguments: surplus'],
    [['m', '--enable-p'], /^ambiguous option: --enable-p could match --enable-prompt-embeds, /],
    [['m', '--port', 'x'], "argument --port: invalid int value: 'x'"],
    [['m', '--port'], 'argument --port: expected one argument'],
    [['m', '--speculative-config', '{'], /cannot be converted/],
    [['m', '--enable-auto-tool-choice'], '--enable-auto-tool-choice requires --tool-call-parser'],
  ])('refuses %j', (words, message) => {
    expect(() => parseServeArguments(words)).toThrow(UsageError)
    expect(() => parseServeArguments(words)).toThrow(message)
  })

  it('masks a key in its echo', () => {
    const parsed = parseServeArguments(['m', '--api-key', 'very-secret'])
    expect(parsed.apiKeys).toEqual(['very-secret'])
    expect(parsed.nonDefault).not.toContain('very-secret')
  })
})

describe('memory', () => {
  it.each(MACHINES)('$name: the published launch gives the published capacity, more memory gives no more', (machine) => {
    const published = parseServeArguments(serveWords(machine.launchWords))
    const plan = planMemory(machine, published)
    expect([plan.kvTokens, plan.maxModelLen, plan.problem]).toEqual([machine.kvTokens, 262_144, undefined])
    expect(planMemory(machine, { ...published, gpuMemoryUtilization: 0.98 }).kvTokens).toBe(machine.kvTokens)
    expect(planMemory(machine, { ...published, gpuMemoryUtilization: 0.7 }).kvTokens).toBeLessThan(machine.kvTokens)
  })

  it('says why a start fails for want of KV memory, with the length that would fit', () => {
    const [machine] = MACHINES
    if (!machine) throw new Error('no machine')
    const wanted = parseServeArguments([machine.model, '--gpu-memory-utilization', '0.08'])
    const plan = planMemory(machine, wanted)
    expect(plan.problem).toMatch(
      /^ValueError: To serve at least one request with the models's max seq len \(262144\), \([\d.]+ GiB KV cache/,
    )
    const fits = Number(/estimated maximum model length is (\d+)/.exec(plan.problem ?? '')?.[1])
    expect(planMemory(machine, { ...wanted, maxModelLen: fits }).problem).toBeUndefined()
    const auto = planMemory(machine, { ...wanted, maxModelLen: 'auto' })
    expect([auto.maxModelLen, auto.problem]).toEqual([fits, undefined])
    expect(planMemory(machine, { ...wanted, gpuMemoryUtilization: 0.02 }).problem).toContain(
      'No available memory for the cache blocks',
    )
  })
})
