import { describe, expect, it } from 'vitest'
import { startableCommand } from '../../shared/command/index.ts'
import { startArgv } from './start-argv.ts'

const parse = (text: string) => startableCommand({ text, secrets: [] })

describe('startArgv', () => {
  const start = (text: string, version?: string) =>
    startArgv(parse(text), { program: '/v/vllm', port: 9, home: '/root', ...(version === undefined ? {} : { version }) })

  it('adds what is missing and leaves what the person gave', () => {
    expect(start('vllm serve m')).toEqual({
      argv: ['/v/vllm', 'serve', 'm', '--host', '127.0.0.1', '--port', '9'],
      added: ['--host', '127.0.0.1', '--port', '9'],
    })
    expect(start('vllm serve m --hos=0.0.0.0 --port 8', '0.9.2').added).toEqual([])
    expect(start('vllm serve m --host 10.0.0.1 --port 8', '0.32.0+cpu')).toMatchObject({
      added: ['--enable-prompt-tokens-details', '--disable-uvicorn-access-log'],
      address: '10.0.0.1',
    })
    expect(
      start('vllm serve m --host :: --port 8 --no-enable-prompt-tokens-details --disable-uvicorn-access-log', '0.10.0'),
    ).toMatchObject({ added: [] })
    expect(start('python -m vllm.entrypoints.openai.api_server --model m').argv.slice(0, 5)).toEqual([
      '/v/vllm',
      '-m',
      'vllm.entrypoints.openai.api_server',
      '--model',
      'm',
    ])
  })
})
