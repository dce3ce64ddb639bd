import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor, isSecretFlag, isSecretVariable, redactCommand, redactText, redactWords, secretParts } from './index.ts'

const SECRET = 'Zq7tr0ub4dor'

describe('what a name gives away', () => {
  test.each([
    [`{"my_secret_x": "${SECRET}"}`, '{"my_secret_x": "<redacted>"}'],
    [`{"accessToken":"${SECRET}","n":1}`, '{"accessToken":"<redacted>","n":1}'],
    [`{"AWS_SECRET_ACCESS_KEY": "${SECRET}"}`, '{"AWS_SECRET_ACCESS_KEY": "<redacted>"}'],
    [`{"extra": {"DbPassword": "a\\"${SECRET}"}}`, '{"extra": {"DbPassword": "<redacted>"}}'],
    [`{"credentials": {"user": "u", "x": "${SECRET}"}, "n": 1}`, '{"credentials": "<redacted>", "n": 1}'],
    [`{"api_keys": ["${SECRET}", "b"]}`, '{"api_keys": "<redacted>"}'],
    [`"{\\"api_key\\": \\"${SECRET}\\", \\"n\\": 1}"`, '"{\\"api_key\\": \\"<redacted>\\", \\"n\\": 1}"'],
    [`"{\\\\\\"hf_token\\\\\\": \\\\\\"${SECRET}\\\\\\"}"`, '"{\\\\\\"hf_token\\\\\\": \\\\\\"<redacted>\\\\\\"}"'],
    [`{'model_tag': 'm', 'api_key': ['${SECRET}'], 'port': 1}`, `{'model_tag': 'm', 'api_key': '<redacted>', 'port': 1}`],
    [`Namespace(api_key='${SECRET}', tokenizer='x')`, `Namespace(api_key='<redacted>', tokenizer='x')`],
    [`GET /v1?a=1&api_key=${SECRET}&b=2 200`, 'GET /v1?a=1&api_key=<redacted>&b=2 200'],
    [`http://h/x?token=${SECRET}`, 'http://h/x?token=<redacted>'],
    [`https://h/x?X-Amz-Signature=${SECRET}&X-Amz-Date=1`, 'https://h/x?X-Amz-Signature=<redacted>&X-Amz-Date=1'],
    [`proxy?next=%2Fx%3Fapi_key%3D${SECRET}%26b`, 'proxy?next=%2Fx%3Fapi_key%3D<redacted>%26b'],
    [`Authorization: Bearer ${SECRET}`, 'Authorization: Bearer <redacted>'],
    [`authorization: Basic dXNlcjpwYXNz`, 'authorization: Basic <redacted>'],
    [`"Authorization": "Token ${SECRET}"`, '"Authorization": "<redacted>"'],
    [`Cookie: a=${SECRET}; b=2`, 'Cookie: <redacted>'],
    [`password: ${SECRET}`, 'password: <redacted>'],
    [`HF_TOKEN = "${SECRET}"`, 'HF_TOKEN = "<redacted>"'],
    [`Server=x;Password=${SECRET};Port=1`, 'Server=x;Password=<redacted>;Port=1'],
    [`unrecognized arguments: --api-k ${SECRET}`, 'unrecognized arguments: --api-k <redacted>'],
    [`['vllm', 'serve', '--api-key', 'short']`, `['vllm', 'serve', '--api-key', '<redacted>']`],
    [
      `-----BEGIN PRIVATE KEY-----\nMIIE\nabc\n-----END PRIVATE KEY-----\nrest`,
      '-----BEGIN PRIVATE KEY-----<redacted>-----END PRIVATE KEY-----\nrest',
    ],
    [`{"api_key": "${SECRET}`, '{"api_key": "<redacted>'],
  ])('%s', (text, shown) => {
    expect(redactText(text)).toBe(shown)
    expect(redactText(shown)).toBe(shown)
  })

  test.each([
    'HF_TOKEN',
    'OPENAI_API_KEY',
    'CLIENT_SECRET',
    'DB_PWD',
    'DB_PASS',
    'DB_PASS_PROD',
    'DB_PASSWORD',
    'OTEL_EXPORTER_OTLP_HEADERS',
    'SENTRY_DSN',
    'GOOGLE_CREDENTIALS',
    'AWS_ACCESS_KEY_ID',
    'GIT_PAT',
    'OPENAIKEY',
    'REGISTRY_AUTH',
    'SLACK_WEBHOOK',
    'db_pwd',
    'HF_TOKEN_2',
  ])('the variable %s', (name) => {
    expect(isSecretVariable(name, 'abc')).toBe(true)
    expect(redactWords([`${name}=abc`])).toEqual([`${name}=<redacted>`])
    expect(redactCommand(`env ${name}='a b' A=1 vllm serve m`)).toBe(`env ${name}=<redacted> A=1 vllm serve m`)
  })

  test.each([
    '--api-key',
    '--api_key',
    '--api-k',
    '--api-ke',
    '--api-',
    '--ap',
    '--hf-token',
    '--hf-t',
    '--hf_to',
    '--hf-',
    '--db-password',
    '--client_secret',
    '--x-api-key',
  ])('the flag %s', (flag) => {
    expect(isSecretFlag(flag)).toBe(true)
    expect(redactCommand(`vllm serve m ${flag} abc --port 1`)).toBe(`vllm serve m ${flag} <redacted> --port 1`)
    expect(redactCommand(`vllm serve m ${flag}=abc --port 1`)).toBe(`vllm serve m ${flag}=<redacted> --port 1`)
  })
})

describe('accounts in addresses', () => {
  test.each([
    ['s3://ID:se/cret+x@bucket/m', 's3://<redacted>@bucket/m'],
    ['http://u:p@ss@w@host:1/x', 'http://<redacted>@host:1/x'],
    ['http://u:p@ss/word@host/x', 'http://<redacted>@host/x'],
    ['http://u:p?a#b@host', 'http://<redacted>@host'],
    ['https://tok@host/p@v1', 'https://<redacted>@host/p@v1'],
    ['redis://:pw@h:1', 'redis://<redacted>@h:1'],
    ['http://a:1/x,http://u:pw@h/y', 'http://a:1/x,http://<redacted>@h/y'],
    ['curl "http://u:pw@h/y" http://v:pw@h', 'curl "http://<redacted>@h/y" http://<redacted>@h'],
  ])('%s', (text, shown) => {
    expect(redactText(text)).toBe(shown)
    expect(redactText(shown)).toBe(shown)
  })

  test.each([
    'http://host:8000/file@v1',
    'git+https://github.com/a/b.git@v0.10',
    'http://[::1]:8000/a@b',
    'http://host/?mail=a@b.c',
    'see http://host:80 and a@b.c',
    'hf://org/model@main',
    '127.0.0.1:8000 user@host',
  ])('%s names none', (text) => expect(redactText(text)).toBe(text))

  test('one word is one address, whatever its password holds', () => {
    expect(redactWords([`--proxy=http://u:a'b"c d@h/x`, `http_proxy=u:pw@h:1`])).toEqual([
      '--proxy=http://<redacted>@h/x',
      'http_proxy=<redacted>',
    ])
    expect(redactCommand(`vllm serve m --url 'http://u:a b"c@h/x'`)).toBe(`vllm serve m --url 'http://<redacted>@h/x'`)
  })
})

describe('what is known to be secret', () => {
  const value = 'p&ä/s+w"o r\'d$!x'
  const bytes = Buffer.from(value)
  const forms = {
    plain: value,
    json: JSON.stringify(value),
    'json in json': JSON.stringify(JSON.stringify(value)),
    shell: `'${value.replaceAll("'", "'\\''")}'`,
    address: encodeURIComponent(value),
    form: new URLSearchParams({ q: value }).toString().slice(2),
    base64: bytes.toString('base64'),
    base64url: bytes.toString('base64url'),
    'base64 of more': Buffer.from(`user:${value}`).toString('base64'),
    'base64 in the middle': Buffer.from(`ab${value}cd`).toString('base64'),
    hex: bytes.toString('hex'),
  }
  test.each(Object.entries(forms))('as %s', (_name, form) => {
    const shown = createRedactor([value]).text(`the server said (${form}) at 12:00`)
    expect(shown).toMatch(/^the server said \(.{0,4}<redacted>.{0,4}\) at 12:00$/)
  })

  test('any value, in any of these forms, is gone', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8, maxLength: 40, unit: 'grapheme' }), fc.string({ maxLength: 5 }), (value, around) => {
        fc.pre(value.trim() === value && !around.includes(value) && !'the key is '.includes(value))
        const { text } = createRedactor([value])
        expect(text(`${around} ${value} ${around}`)).not.toContain(value)
        expect(text(JSON.stringify({ x: value }))).not.toContain(JSON.stringify(value).slice(1, -1))
        expect(text(`x ${Buffer.from(value).toString('base64')} y`)).not.toContain(
          Buffer.from(value).toString('base64').replace(/=+$/, ''),
        )
      }),
    )
  })

  test('short values only where they stand by themselves, shorter ones never', () => {
    const { text } = createRedactor(['test', 'abc'])
    expect(text('latest test, abc, tester')).toBe('latest <redacted>, abc, tester')
  })

  test('a secret that is a word of ours breaks no record', () => {
    const line = { kind: 'attempt', record: { status: 'valid', reason: 'the key is valid' } }
    expect(createRedactor(['valid']).value(line)).toEqual({
      kind: 'attempt',
      record: { status: 'valid', reason: 'the key is <redacted>' },
    })
  })

  test('values of JSON, at any depth; the shape stays', () => {
    const { value } = createRedactor([SECRET])
    expect(
      value({
        a: [`x ${SECRET}`],
        hasApiKey: true,
        token_source: 'usage',
        apiKey: 'k',
        auth_tokens: ['a'],
        n: 1,
        s3: 's3://I:k@b',
      }),
    ).toEqual({
      a: ['x <redacted>'],
      hasApiKey: true,
      token_source: 'usage',
      apiKey: '<redacted>',
      auth_tokens: ['<redacted>'],
      n: 1,
      s3: 's3://<redacted>@b',
    })
  })
})

describe('what only looks like a secret stays', () => {
  test.each([
    '{"max_tokens": 4096, "tokenizer": "Qwen/Q", "token_source": "usage", "key": "value", "eos_token": "</s>", "stop_token_ids": [1, 2]}',
    '{"method":"mtp","num_speculative_tokens":2,"public_key":"abc","cache_key":"abcdef","keyword":"x","passes":"a"}',
    '{"pass_config": {"fuse_norm": "a"}, "kv_transfer_config": {"kv_role": "kv_both"}}',
    "non-default args: {'model_tag': 'm', 'tokenizer': 'Qwen/Q', 'tokenizer_mode': 'auto', 'hf_token': None, 'api_key': None}",
    'prompt_token=123 first token: 5.1 ms, key=value, tokens_per_second=12.5',
    'Unexpected token: foo at line 3; a key: the first one',
    'Password authentication failed. Basic usage: see the Authorization header; Bearer token missing',
    'Use --api-key to set one; --tokenizer x --max-num-batched-tokens 8192 --long-prefill-token-threshold 100',
    'Leave --api-key out: every server gets a key of its own',
    'Put the model first: vllm serve MODEL … --api-key …',
    'PWD=/home/ann/x OLDPWD=/tmp SSH_AUTH_SOCK=/tmp/agent.1 TOKENIZERS_PARALLELISM=false MONKEY=1',
    'HF_TOKEN_PATH=/x/y AWS_WEB_IDENTITY_TOKEN_FILE=/v HF_HUB_DISABLE_IMPLICIT_TOKEN=1',
    'INFO 10-07 18:00:11 [loggers.py:248] Engine 000: Avg prompt throughput: 5.0 tokens/s, GPU KV cache usage: 12.0%',
    '--enable-prompt-tokens-details --served-model-name a --api-key-env NAME --allowed-headers \'["*"]\'',
    'sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'https://huggingface.co/Qwen/Q/resolve/main/tokenizer.json?download=true',
  ])('%s', (text) => {
    expect(redactText(text)).toBe(text)
    if (!/--api-key |--api-key$/.test(text)) expect(redactCommand(text)).toBe(text)
  })

  test('words of plain names, with plain values', () => {
    const name = fc.constantFrom(
      '--tokenizer',
      '--max-model-len',
      '--seed',
      '--dtype',
      '--served-model-name',
      '--chat-template',
      '--lora-modules',
      '--max-num-batched-tokens',
      '--token-classify-mode',
    )
    const plain = fc.stringMatching(/^[a-z][a-z0-9./_-]{0,14}$/).filter((it) => !/^(?:hf_|sk-|pk-|rk-|gh|xox|dapi)/.test(it))
    fc.assert(
      fc.property(fc.array(fc.tuple(name, plain), { maxLength: 6 }), (pairs) => {
        const words = ['vllm', 'serve', 'm', ...pairs.flat(), ...pairs.map(([flag, value]) => `${flag}=${value}`)]
        expect(redactWords(words)).toEqual(words)
        expect(redactCommand(words.join(' '))).toBe(words.join(' '))
        expect(redactText(JSON.stringify(Object.fromEntries(pairs)))).toBe(JSON.stringify(Object.fromEntries(pairs)))
      }),
    )
  })
})

test('a secret never survives, whatever stands around it', () => {
  const secret = fc.stringMatching(/^[A-Za-z0-9+/_-]{8,40}$/).map((text) => `ZQ9${text}`)
  const key = fc.constantFrom(
    'api_key',
    'hfToken',
    'client-secret',
    'DB_PASSWORD',
    'credentials',
    'X-Api-Key',
    'session_token',
    'MY_TOKEN_X',
  )
  const form = fc.constantFrom<(key: string, it: string) => string>(
    (key, it) => JSON.stringify({ a: { [key]: it } }),
    (key, it) => JSON.stringify({ a: JSON.stringify({ [key]: it }) }),
    (key, it) => JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ [key]: it }) }) }),
    (key, it) => JSON.stringify({ [key]: [it, { x: it }] }, null, 2),
    (key, it) => `{'${key}': '${it}'}`,
    (key, it) => `http://h/p?a=1&${key}=${encodeURIComponent(it)}#x`,
    (key, it) => `env ${key.replaceAll('-', '_')}=${it} vllm serve m`,
    (key, it) => `WARN ${key}: ${it}, more`,
    (_key, it) => `s3://ID:${it}@bucket/x`,
    (_key, it) => `fetching http://user:${it}@${it}@host/y failed`,
    (_key, it) => `Authorization: Bearer ${it}`,
  )
  fc.assert(
    fc.property(secret, key, form, fc.string({ maxLength: 20 }), (it, name, make, before) => {
      const text = make(name, it)
      expect(redactText(text)).not.toContain(it)
      expect(redactText(`${before.replaceAll(/["'`\\]/g, '')} ${text}`)).not.toContain(it)
    }),
    { numRuns: 500 },
  )
})

test('redacting is idempotent and never throws', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.string(),
          fc.constantFrom('token=', '"api_key": ', '--api-key ', '://', '@', ':', '"', "'", '\\', '[', '{', ' '),
        ),
        { maxLength: 12 },
      ),
      (parts) => {
        const once = redactText(parts.join(''))
        redactCommand(parts.join(''))
        expect(redactText(once).replaceAll('<redacted>', '').length).toBeLessThanOrEqual(once.replaceAll('<redacted>', '').length)
      },
    ),
    { numRuns: 500 },
  )
})

test('long and hostile lines cost in proportion to their length', () => {
  const pieces = [
    'a',
    '=',
    ':',
    '"',
    "'",
    '\\',
    '[',
    '{',
    ' ',
    '@',
    '://',
    'a://',
    'a:1//@',
    'http://u:',
    '--api-key ',
    '--a',
    'token=',
    'token:',
    '"token":"',
    '"token":[',
    'api_key=[',
    'Bearer ',
    'eyJ',
    'eyJaaaaaaaa.',
    'hf_',
    '-----BEGIN ',
    '-----BEGIN PRIVATE KEY-----',
    '%3D',
    '<redacted>',
    'password= ',
    '\\"api_key\\": \\"',
    '"\'',
    '\'"',
    'x@',
    '?key=&',
    'A_KEY=',
    '\n',
  ]
  const { text } = createRedactor([SECRET, 'aaaab', '::::@'])
  const took = (work: (it: string) => unknown, piece: string, length: number) => {
    const line = piece.repeat(Math.ceil(length / piece.length))
    work(line)
    const from = performance.now()
    work(line)
    return performance.now() - from
  }
  for (const piece of pieces) {
    for (const work of [text, redactCommand]) {
      const base = took(work, piece, 20_000)
      // Ten times the length: what looks back over the whole line takes a hundred times as long.
      expect(took(work, piece, 200_000), `${JSON.stringify(piece)} ${String(base)} ms`).toBeLessThan(base * 60 + 400)
    }
  }
}, 120_000)

test('the parts of a command that are secret, for a redactor to know them elsewhere', () => {
  const parts = secretParts([
    'A=1',
    'HF_TOKEN=hf_abcdefgh',
    'HTTPS_PROXY=http://u:p@ss:w@h:1',
    '--x',
    '{"a":{"apiKey":"k1k1k1"},"b":"x","secret":"s2s2"}',
    '--api-key',
    'one',
  ])
  expect(parts).toEqual(expect.arrayContaining(['hf_abcdefgh', 'p@ss:w', 'k1k1k1', 's2s2', 'one']))
  expect(secretParts(['OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer abcdef123456'])).toEqual([
    'Authorization=Bearer abcdef123456',
    'abcdef123456',
  ])
  expect(parts.join()).not.toMatch(/HF_TOKEN|http|"b"/)
})
