import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SpeedgridError } from '../../shared/model/error.ts'
import { createHarness, type Harness } from './testing/harness.ts'

let cli: Harness
beforeEach(() => {
  cli = createHarness()
})
afterEach(() => cli.dispose())

describe('usage', () => {
  it.each([
    [['sweeep'], 'sweep'],
    [['sweep', '--concurency', '1'], '--concurrency'],
    [['report'], 'run'],
    [['compare', 'a', 'b'], 'unknown command'],
  ])('refuses %j with exit 2 and a hint', async (words, hint) => {
    const { code, stdout, stderr } = await cli.run(...words)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain(hint)
  })

  it('says it as JSON too', async () => {
    const { code, document } = await cli.json('sweep', '--concurency', '1')
    expect(code).toBe(2)
    expect(document).toMatchObject({ error: { code: 'usage', evidence: [] } })
  })

  it('shows help and version on stdout with exit 0', async () => {
    expect(await cli.run('--version')).toMatchObject({ code: 0, stdout: '9.9.9\n' })
    const { code, stdout } = await cli.run('sweep', '--help')
    expect(code).toBe(0)
    for (const flag of ['--contexts', '--max-output', '--prompt-mode', '--like', '--dry-run', '--time-budget'])
      expect(stdout).toContain(flag)
  })

  it('takes global options before and after the command, and leaves those after -- alone', async () => {
    await cli.run('hosts', 'add', 'lab', '10.0.0.1')
    expect(JSON.parse((await cli.run('--json', 'hosts', 'list')).stdout)).toEqual(
      JSON.parse((await cli.run('hosts', 'list', '--json')).stdout),
    )
    cli.world.launch = () => Promise.reject(new SpeedgridError('no_vllm', 'No vLLM there.'))
    const { stdout } = await cli.run('launch', 'lab', '--name', 'x', '--', 'A=1', 'vllm', 'serve', 'M', '--json', '--quiet')
    expect(stdout).toBe('')
    expect(cli.world.launched[0]?.text).toBe('A=1 vllm serve M --json --quiet')
  })
})

describe('errors', () => {
  it.each([
    ['unreachable', 3],
    ['auth', 3],
    ['host_key_changed', 3],
    ['host_key_unknown', 3],
    ['unauthorized', 3],
    ['plan', 2],
    ['usage', 2],
    ['server_failed', 4],
    ['http', 1],
    ['disk_full', 1],
    ['no_node', 1],
    ['interrupted', 130],
  ] as const)('ends %s with %i, cause, evidence and next step', async (errorCode, exit) => {
    cli.world.startError = new SpeedgridError(errorCode, 'The cause.', { evidence: ['seen this'], nextStep: 'Do that.' })
    const words = ['sweep', '--host', 'lab', '--contexts', '0', '--concurrency', '1']
    const plain = await cli.run(...words)
    expect(plain).toMatchObject({ code: exit, stdout: '' })
    const head = errorCode === 'interrupted' ? 'The cause.' : 'Error: The cause.'
    expect(plain.stderr).toContain(`${head}\n  seen this\nNext step: Do that.\n`)
    const { code, document } = await cli.json(...words)
    expect(code).toBe(exit)
    expect(document).toEqual({ error: { code: errorCode, cause: 'The cause.', evidence: ['seen this'], nextStep: 'Do that.' } })
  })

  it('keeps the stack of an unexpected error in a private log, with an id', async () => {
    cli.world.startError = new TypeError('x is not a function, key sk-abcdefghijklmnop')
    const { code, stderr } = await cli.run('sweep', '--host', 'lab', '--contexts', '0', '--concurrency', '1')
    expect(code).toBe(1)
    expect(stderr).not.toContain('    at ')
    expect(stderr).not.toContain('not a function')
    const id = /\(id ([0-9a-f]{8})\)/.exec(stderr)?.[1]
    const log = join(cli.folder, 'data', 'speedgrid.log')
    const entry = readFileSync(log, 'utf8')
    expect(JSON.parse(entry)).toMatchObject({ id, command: 'sweep', name: 'TypeError' })
    expect(entry).not.toContain('abcdefghijklmnop')
    expect(statSync(log).mode & 0o777).toBe(0o600)
  })

  it('says what is wrong with a data folder that cannot be one', async () => {
    writeFileSync(join(cli.folder, 'file'), '')
    const { code, stderr } = await cli.run('--data-dir', 'file/below', 'runs')
    expect(code).toBe(2)
    expect(stderr).toContain(join(cli.folder, 'file'))
    expect(stderr).toContain('Next step:')
  })
})
