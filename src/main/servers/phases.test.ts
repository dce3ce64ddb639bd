import { describe, expect, it } from 'vitest'
import { createLogFacts } from './log-facts.ts'
import { createLineSplitter } from './log-lines.ts'
import { createPhaseTracker, readPhase } from './phases.ts'

const P = '(APIServer pid=1) INFO 11-30 10:00:00 [a.py:1] '

describe('readPhase', () => {
  it.each([
    [`${P} ▄▄ ▄█ █     █     █ ▀▄▀ █  version 0.32.0`, { phase: 'import', detail: 'vLLM 0.32.0' }],
    [`${P}vLLM API server version 0.10.1`, { phase: 'import', detail: 'vLLM 0.10.1' }],
    [`${P}Using FLASH_ATTN attention backend out of potential backends`, { phase: 'backend', detail: 'FLASH_ATTN' }],
    [
      'Loading safetensors checkpoint shards:  75% Completed | 3/4 [00:01<00:00]',
      { phase: 'weights', detail: '3 of 4 shards', progress: 0.75 },
    ],
    ['Capturing CUDA graphs (mixed prefill-decode, PIECEWISE):  50%|█████     | 33/67', { phase: 'graphs', progress: 0.5 }],
    [`${P}CPU KV cache size: 6,291,456 tokens, Maximum concurrency`, { phase: 'kv_cache', detail: '6,291,456 tokens' }],
    [`${P}Explicitly set (1.0/11.59) GiB for KV cache on node 0.`, { phase: 'kv_cache' }],
    [`${P}init engine (profile, create kv cache, warmup model) took 3.14 s`, { phase: 'init', detail: 'took 3.14 s' }],
    [`${P}Starting vLLM server on http://127.0.0.1:8000`, { phase: 'serve', detail: 'http://127.0.0.1:8000' }],
    ['INFO:     Application startup complete.', { phase: 'startup' }],
  ])('%s', (line, hit) => expect(readPhase(line)).toMatchObject(hit))

  it('says nothing about other lines', () => expect(readPhase(`${P}Route: /health, Methods: GET`)).toBeUndefined())
})

describe('createPhaseTracker', () => {
  it('tells a phase once and a bar as it moves', () => {
    const tracker = createPhaseTracker()
    const bar = (percent: number) => `Loading safetensors checkpoint shards:  ${String(percent)}% Completed | 1/4`
    const told = [
      bar(0),
      bar(25),
      bar(25),
      bar(100),
      `${P}Starting to load model m...`,
      bar(100),
      `${P}Starting to load model m...`,
    ]
    expect(told.map((line, index) => tracker.push(line, index)?.phase)).toEqual([
      'weights',
      'weights',
      undefined,
      'weights',
      'load',
      undefined,
      undefined,
    ])
    expect(tracker.seen()).toEqual([
      { phase: 'weights', atSeconds: 0 },
      { phase: 'load', atSeconds: 4 },
    ])
  })
})

describe('createLineSplitter', () => {
  it('splits at \\r and \\n, over chunk borders, and drops colours', () => {
    const lines: string[] = []
    const splitter = createLineSplitter((line) => lines.push(line))
    const bytes = Buffer.from('a\r\nbar 1%\rbar 2%\n\u001B[36m(X)\u001B[0m grün ä\n\u001B]0;title\u0007end')
    for (const byte of bytes) splitter.push(Buffer.from([byte]))
    splitter.end()
    expect(lines).toEqual(['a', 'bar 1%', 'bar 2%', '(X) grün ä', 'end'])
  })

  it('gives the beginning of a line without an end, and goes on with the next', () => {
    const lines: string[] = []
    const splitter = createLineSplitter((line) => lines.push(line))
    for (let piece = 0; piece < 1000; piece += 1) splitter.push(Buffer.from('max seq len (4096) '.repeat(50)))
    splitter.push(Buffer.from('\nnext\n'))
    expect(lines.map((line) => line.length <= 16 * 1024 + 1)).toEqual([true, true])
    expect(lines[0]).toMatch(/^max seq len \(4096\) .*…$/)
    expect(lines[1]).toBe('next')
  })
})

describe('createLogFacts', () => {
  const read = (...lines: string[]) => {
    const facts = createLogFacts()
    for (const line of lines) facts.push(line)
    return facts.read()
  }
  const CONFIG =
    "Initializing a V1 LLM engine (v0.30.1rc1.dev452+g73a583112) with config: model='q', speculative_config=SpeculativeConfig(method='mtp'), dtype=torch.bfloat16, max_seq_len=262144, quantization=fp8, device_config=cuda, revision=None"

  it('reads the resolved configuration', () => {
    expect(read(`(EngineCore pid=2) INFO 11-30 10:00:00 [core.py:1] ${CONFIG}`)).toEqual({
      version: '0.30.1rc1.dev452+g73a583112',
      quantization: 'FP8',
      backend: 'cuda',
      speculative: true,
      maxModelLen: 262_144,
    })
  })

  it('adds the KV caches of data-parallel engines, and counts one that is told twice once', () => {
    const kv = (engine: number, tokens: string) =>
      `(EngineCore_DP${String(engine)} pid=2) INFO 11-30 10:00:00 [kv.py:1] GPU KV cache size: ${tokens} tokens`
    expect(read(kv(0, '1,000'), kv(1, '1,200'), kv(1, '1,100'))).toMatchObject({
      kvTokens: 2_100,
      kvTokensSource: 'startup_log',
      engines: 2,
    })
    expect(read('(EngineCore pid=2) INFO 11-30 10:00:00 [kv.py:1] GPU KV cache size: 2,000 tokens')).toEqual({
      kvTokens: 2_000,
      kvTokensSource: 'startup_log',
    })
  })

  it('leaves out what it was not told', () => expect(read('nothing of interest')).toEqual({}))
})
