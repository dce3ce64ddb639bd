import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shellTokens } from '../command/words.ts'
import { homeAsVariable } from '../format/index.ts'
import { redactCommand, redactText, redactWords, shownCommand } from './index.ts'

describe('secrets in a command', () => {
  test.each([
    ['vllm serve m --api-key sEcret --port 8000', 'vllm serve m --api-key <redacted> --port 8000'],
    ['vllm serve m --api-key=sEcret', 'vllm serve m --api-key=<redacted>'],
    ['vllm serve m --api_key="two words"', 'vllm serve m --api_key=<redacted>'],
    ["vllm serve m --api-key 'a b' \\\n  --port 1", 'vllm serve m --api-key <redacted> \\\n  --port 1'],
    ['vllm serve m --api-key one two --port 1', 'vllm serve m --api-key <redacted> <redacted> --port 1'],
    ['vllm serve m --api-key one | tee log', 'vllm serve m --api-key <redacted> | tee log'],
    ['env HF_TOKEN=abc A=1 vllm serve m', 'env HF_TOKEN=<redacted> A=1 vllm serve m'],
    ['VLLM_API_KEY="a b" OPENAIKEY=x vllm serve m', 'VLLM_API_KEY=<redacted> OPENAIKEY=<redacted> vllm serve m'],
    ['vllm serve m --hf-token hf_abcdefghijkl', 'vllm serve m --hf-token <redacted>'],
    ['echo hf_abcdefghijkl', 'echo <redacted>'],
    ['curl -H "Authorization: Bearer abc.def" x', 'curl -H "Authorization: Bearer <redacted>" x'],
    ['bash -c "vllm serve m --api-key sEcret"', 'bash -c "vllm serve m --api-key <redacted>"'],
    ['git clone https://me:pass@host/x', 'git clone https://<redacted>@host/x'],
    [`vllm serve m --x '{"api_key": "sEcret", "n": 1}'`, `vllm serve m --x '{"api_key": "<redacted>", "n": 1}'`],
  ])('%s', (command, shown) => expect(redactCommand(command)).toBe(shown))

  test('what only looks like one stays', () => {
    const published =
      'env MAX_JOBS=2 TOKENIZERS_PARALLELISM=false "$HOME/env/bin/vllm" serve Qwen/Q --max-num-batched-tokens 8192 --api-key <redacted> ' +
      `--speculative-config '{"method":"mtp","num_speculative_tokens":2}' --tokenizer x --max-model-len 262144`
    expect(redactCommand(published)).toBe(published)
    expect(redactCommand(redactCommand('a --api-key k'))).toBe('a --api-key <redacted>')
  })

  test('argument lists', () => {
    expect(
      redactWords(['vllm', 'serve', '--api-key', 'a', 'b', '--hf-token=c', 'X_SECRET=d', 'Bearer e', '--port', '1']),
    ).toEqual([
      'vllm',
      'serve',
      '--api-key',
      '<redacted>',
      '<redacted>',
      '--hf-token=<redacted>',
      'X_SECRET=<redacted>',
      'Bearer <redacted>',
      '--port',
      '1',
    ])
  })

  test('a key never survives, however it is quoted', () => {
    const key = fc.stringMatching(/^[A-Za-z0-9]{8,40}$/).map((text) => `ZQ${text}`)
    const quote = fc.constantFrom(
      (it: string) => it,
      (it: string) => `'${it}'`,
      (it: string) => `"${it}"`,
      (it: string) => `"x ${it}"`,
    )
    const form = fc.constantFrom('--api-key ', '--api-key=', 'MY_API_KEY=', 'HF_TOKEN=', '--hf-token ', '--password\t')
    fc.assert(
      fc.property(key, quote, form, (secret, quoted, before) => {
        expect(redactCommand(`vllm serve m ${before}${quoted(secret)} --port 1`)).not.toContain(secret)
      }),
    )
  })

  test('log lines', () => {
    expect(redactText('GET x-api-key: abcdef, token hf_abcdefghijkl')).toBe('GET x-api-key: <redacted>, token <redacted>')
  })
})

test('home folders become $HOME, only whole ones', () => {
  expect(homeAsVariable('"/home/ann/env/bin/vllm" serve /home/ann', '/home/ann')).toBe('"$HOME/env/bin/vllm" serve $HOME')
  expect(homeAsVariable('/home/anna/x /data/home/ann/x', '/home/ann')).toBe('/home/anna/x /data/home/ann/x')
  expect(homeAsVariable('A=/root/x /home/bob/y /Users/eve /rooted')).toBe('A=$HOME/x $HOME/y $HOME /rooted')
  expect(shownCommand('/root/v/bin/vllm serve m --api-key k', '/root')).toBe('$HOME/v/bin/vllm serve m --api-key <redacted>')
})

test('words keep their places', () => {
  const text = `a 'b c'"d" \\e | f`
  expect(shellTokens(text).map((word) => [word.value, text.slice(word.start, word.end)])).toEqual([
    ['a', 'a'],
    ['b cd', `'b c'"d"`],
    ['e', '\\e'],
    ['|', '|'],
    ['f', 'f'],
  ])
})

test.each([
  'HF_TOKEN=secret vllm serve m --api-key=k --api-key k1 k2 --port 1',
  'env VLLM_API_KEY="a b" vllm serve m --api-key \'x y\'',
  'bash -c "vllm serve m --api-key k"',
])('redacting what is redacted changes nothing: %s', (command) => {
  const once = redactCommand(command)
  expect(once).toContain('<redacted>')
  expect(redactCommand(once)).toBe(once)
  expect(shownCommand(once)).toBe(once)
})
