import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SpeedgridError } from '../model/error.ts'
import { startableCommand } from './launch-command.ts'
import { writeWords } from './quote.ts'
import { expandHome, writtenCommand } from './written.ts'

const parse = (text: string) => startableCommand({ text, secrets: [] })
const parseWords = (words: readonly string[]) => parse(writeWords(words))
const secretsOf = (text: string) => Object.fromEntries(parse(text).secrets)

describe('a launch command', () => {
  it('reads environment, program, model and flags', () => {
    const command = parse(
      `A=1 env CUDA_VISIBLE_DEVICES=0,1 "B=x y" /opt/v/bin/vllm serve Qwen/Q --seed 1 --speculative-config '{"method":"ngram"}'`,
    )
    expect(command).toMatchObject({
      environment: [
        { name: 'A', value: '1' },
        { name: 'CUDA_VISIBLE_DEVICES', value: '0,1' },
        { name: 'B', value: 'x y' },
      ],
      kind: 'vllm',
      program: '/opt/v/bin/vllm',
      model: 'Qwen/Q',
      args: ['Qwen/Q', '--seed', '1', '--speculative-config', '{"method":"ngram"}'],
    })
    expect(parse('python3 -m vllm.entrypoints.openai.api_server --model m --seed 1')).toMatchObject({
      kind: 'module',
      model: 'm',
      program: 'python3',
    })
  })

  it.each([
    ['vllm serve m --api-key K', { VLLM_API_KEY: 'K' }, ['m']],
    ['vllm serve m --api-key=K --seed 1', { VLLM_API_KEY: 'K' }, ['m', '--seed', '1']],
    ['vllm serve m --api_key K', { VLLM_API_KEY: 'K' }, ['m']],
    ['vllm serve m --api-k K', { VLLM_API_KEY: 'K' }, ['m']],
    ['vllm serve m --api-ke=K', { VLLM_API_KEY: 'K' }, ['m']],
    ['vllm serve m --api-key K L M --seed 1', { VLLM_API_KEY: 'K' }, ['m', '--seed', '1']],
    ['vllm serve m --api-key=K L --seed 1', { VLLM_API_KEY: 'K' }, ['m', '--seed', '1']],
    ['vllm serve --api-key=K m', { VLLM_API_KEY: 'K' }, ['m']],
    ['vllm serve m --api-key K --api-key L', { VLLM_API_KEY: 'L' }, ['m']],
    ['VLLM_API_KEY=E vllm serve m --api-key K', { VLLM_API_KEY: 'K' }, ['m']],
    ['vllm serve m --hf-token hf_T --port 1', { HF_TOKEN: 'hf_T' }, ['m', '--port', '1']],
    ['vllm serve m --hf-token --port 1', {}, ['m', '--port', '1', '--hf-token']],
    [
      'AWS_SECRET_ACCESS_KEY=a HTTPS_PROXY=http://u:p@h X=1 vllm serve m',
      { AWS_SECRET_ACCESS_KEY: 'a', HTTPS_PROXY: 'http://u:p@h' },
      ['m'],
    ],
  ])('moves secrets to the environment: %s', (text, secrets, args) => {
    expect(secretsOf(text)).toEqual(secrets)
    expect(parse(text).args.toSorted()).toEqual(args.toSorted())
  })

  it('never lets a key through, in whatever place and form', () => {
    const secret = fc.stringMatching(/^Sec[A-Za-z0-9+/]{6,20}ret$/)
    const form = fc.constantFrom(
      '--api-key KEY',
      '--api-key=KEY',
      '--api_key KEY',
      '--api-k KEY',
      '--api-ke=KEY',
      '--api-key KEY KEY',
      '--hf-token KEY',
      '--hf_token=KEY',
    )
    fc.assert(
      fc.property(secret, form, fc.boolean(), (key, written, atEnd) => {
        const flag = written.replaceAll('KEY', key).split(' ')
        const command = parseWords(['vllm', 'serve', 'm', ...(atEnd ? ['--seed', '1', ...flag] : [...flag, '--seed', '1'])])
        expect([...command.secrets.values()]).toContain(key)
        const shown = JSON.stringify([
          command.args,
          command.environment,
          writtenCommand(command, '/root'),
          command.notes,
          command.environmentNames,
        ])
        expect(shown).not.toContain(key)
        expect(command.args.toSorted()).toEqual(['--seed', '1', 'm'])
      }),
    )
  })

  it.each([
    ['', /no command/],
    ['vllm bench serve', /not a command/],
    ['docker run vllm/vllm-openai m', /container \(docker\)/],
    ['uv run vllm serve m', /uv run takes the environment/],
    ['env -i vllm serve m', /env -i/],
    ['vllm serve --api-key S3cret m', /the model too/],
    ['vllm serve m --api S3cret', /could be several/],
    ['vllm serve m --api-key', /no value/],
    ['vllm serve m --uds /tmp/x', /Unix socket/],
    ['vllm serve m --ssl-keyfile k', /TLS/],
    ['vllm serve m --headless', /HTTP API/],
    ['vllm serve m --port 70000', /--port/],
    ['vllm serve "m', /quote/],
  ])('refuses %s', (text, cause) => {
    let error: unknown
    try {
      parse(text)
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(SpeedgridError)
    expect((error as SpeedgridError).toInfo()).toMatchObject({ code: 'usage', cause: expect.stringMatching(cause) as unknown })
    expect(JSON.stringify((error as SpeedgridError).toInfo())).not.toContain('S3cret')
  })
})

describe('secrets that vLLM takes by argument only', () => {
  it.each([
    [`vllm serve m --additional-config '{"hub_token":"S3cret"}'`, '--additional-config'],
    ['vllm serve m --otlp-traces-endpoint=http://u:S3cret@h', '--otlp-traces-endpoint'],
    ['vllm serve s3://ID:S3/cret+x@b', 'an argument'],
  ])('are told to the person, without the value: %s', (text, flag) => {
    const { notes } = parse(text)
    expect(notes).toEqual([expect.stringMatching(new RegExp(`^${flag} holds a secret.*every user of the host can see it`))])
    expect(notes.join()).not.toContain('S3')
  })

  it.each(['DB_PWD', 'SMTP_PASS', 'OTEL_EXPORTER_OTLP_HEADERS', 'SENTRY_DSN', 'GCP_CREDENTIALS', 'EXTRA_JSON'])(
    'of the environment travel with the key: %s',
    (name) => {
      const value = name === 'EXTRA_JSON' ? '{"a":{"clientSecret":"S3cret"}}' : 'S3cret'
      const command = parseWords([`${name}=${value}`, 'vllm', 'serve', 'm'])
      expect(command.environment).toEqual([])
      expect(Object.fromEntries(command.secrets)).toEqual({ [name]: value })
      expect(writtenCommand(command, '/root')).toBe(`${name}=<redacted> vllm serve m`)
    },
  )
})

describe('writtenCommand', () => {
  it.each([
    [
      'HF_TOKEN=hf_x vllm serve /root/models/m --api-key K L',
      'HF_TOKEN=<redacted> vllm serve $HOME/models/m --api-key <redacted> <redacted>',
    ],
    ['A="x y" vllm serve $HOME/m --api-k=K', "A='x y' vllm serve $HOME/m --api-k=<redacted>"],
    [`vllm serve m --sc '{"model":"/root/d"}'`, `vllm serve m --sc '{"model":"$HOME/d"}'`],
    ['vllm serve /rooted/m', 'vllm serve /rooted/m'],
  ])('%s', (text, shown) => expect(writtenCommand(parse(text), '/root')).toBe(shown))

  it('can be launched again as it stands, home folder included', () => {
    const written = writtenCommand(
      parse(`A=/root/x vllm serve /root/m --sc '{"model":"/root/d"}' --chat-template=/root/t`),
      '/root',
    )
    const again = parse(written)
    expect(again.args.map((arg) => expandHome(arg, '/home/b'))).toEqual([
      '/home/b/m',
      '--sc',
      '{"model":"/home/b/d"}',
      '--chat-template=/home/b/t',
    ])
    expect(expandHome('~/x', '/h')).toBe('/h/x')
    expect(expandHome('--x=~', '/h')).toBe('--x=/h')
    expect(expandHome('a~b$HOMEX', '/h')).toBe('a~b$HOMEX')
  })
})

describe('a command copied from a report', () => {
  const words = (flag: string) => parseWords(['vllm', 'serve', 'm', ...flag.split(' ')])

  it.each(['--api-key <redacted>', '--api-key=<redacted>'])('gets a key of its own: %s', (flag) => {
    const command = words(flag)
    expect([...command.secrets]).toEqual([])
    expect(command.notes.join()).toMatch(/one of its own/)
    expect(writtenCommand(command, '/root')).toContain('<redacted>')
  })

  it('asks for a token that was taken out', () => {
    expect(() => parseWords(['HF_TOKEN=<redacted>', 'vllm', 'serve', 'm'])).toThrow(/HF_TOKEN is missing/)
    expect(() => words('--hf-token <redacted>')).toThrow(/HF_TOKEN is missing/)
    expect([...parseWords(['VLLM_API_KEY=<redacted>', 'vllm', 'serve', 'm']).secrets]).toEqual([])
  })
})
