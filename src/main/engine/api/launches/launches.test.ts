import { expect, test } from 'vitest'
import { commandView as viewOf } from '../../../../shared/command/index.ts'
import { SpeedgridError } from '../../../../shared/model/error.ts'
import type { Server } from '../../../../shared/model/server.ts'
import type { LaunchEvent, LaunchOutcome, LaunchRequest } from '../../../servers/types.ts'
import { foldText } from '../servers.ts'
import { createLaunchManager } from './launch-manager.ts'

const server: Server = {
  id: 'srv-1',
  host: 'lab',
  port: 8000,
  adopted: false,
  hasApiKey: true,
  startedAt: '2026-03-01T10:00:00.000Z',
}
type Launch = (request: LaunchRequest, onEvent?: (event: LaunchEvent) => void) => Promise<LaunchOutcome>

function managerOf(launch: Launch) {
  const reported: unknown[] = []
  const ready: string[] = []
  const manager = createLaunchManager({
    servers: { launch },
    now: () => 1000,
    reportUnexpected: (error) => {
      reported.push(error)
      return 'id-1'
    },
    onReady: (host) => ready.push(host),
  })
  return { manager, reported, ready }
}
const plain = (text: string) => ({ text, secrets: [] })
const commandView = (text: string) => viewOf(plain(text))
const settled = () => new Promise((resolve) => setTimeout(resolve, 5))

test('phases gather, a bar replaces what it said; what was typed is kept without its secrets', async () => {
  let seen: LaunchRequest | undefined
  const { manager, ready } = managerOf((request, onEvent) => {
    seen = request
    onEvent?.({ kind: 'started', server })
    onEvent?.({ kind: 'phase', phase: 'weights', atSeconds: 1, progress: 0.1 })
    onEvent?.({ kind: 'phase', phase: 'weights', atSeconds: 3, progress: 0.9, detail: '9 of 10' })
    onEvent?.({ kind: 'log', line: 'x' })
    onEvent?.({ kind: 'phase', phase: 'graphs', atSeconds: 5 })
    return Promise.resolve({ server, state: 'ready', seconds: 9, phases: [], known: { kvTokens: 5 } })
  })
  const text = 'OTHER_TOKEN=oth_secretsecret vllm serve m --api-key verysecret --port 8000'
  const { launchId } = manager.launch({ host: 'lab', text, secrets: [{ name: 'HF_TOKEN', value: 'hf_secretsecret' }], name: '' })
  await settled()
  const [view] = manager.list()
  expect(view).toMatchObject({
    launchId,
    state: 'ready',
    seconds: 9,
    known: { kvTokens: 5 },
    phases: [
      { phase: 'weights', atSeconds: 1, progress: 0.9, detail: '9 of 10' },
      { phase: 'graphs', atSeconds: 5 },
    ],
  })
  expect(JSON.stringify(view)).not.toMatch(/_secret|verysecret/)
  expect(view?.command).toBe('HF_TOKEN=<redacted> OTHER_TOKEN=<redacted> vllm serve m --api-key <redacted> --port 8000')
  expect(seen).toMatchObject({ text, secrets: [{ name: 'HF_TOKEN', value: 'hf_secretsecret' }] })
  expect(seen).not.toHaveProperty('name')
  expect(ready).toEqual(['lab'])
  await manager.dispose()
})

test('failed, cancelled and unexpected ends are told apart', async () => {
  const error = { code: 'server_failed' as const, cause: 'It crashed.', evidence: ['Traceback'] }
  const failing = managerOf(() => Promise.resolve({ server, state: 'failed', seconds: 3, phases: [], known: {}, error }))
  failing.manager.launch({ host: 'lab', ...plain('vllm serve m') })
  await settled()
  expect(failing.manager.list()[0]).toMatchObject({ state: 'failed', error })
  expect(failing.ready).toEqual([])

  const cancelled = managerOf(
    ({ signal }) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new SpeedgridError('interrupted', 'nothing of it is left')))
      }),
  )
  const { launchId } = cancelled.manager.launch({ host: 'lab', ...plain('vllm serve m') })
  cancelled.manager.cancel(launchId)
  await settled()
  expect(cancelled.manager.list()[0]).toMatchObject({ state: 'cancelled' })
  expect(cancelled.manager.list()[0]).not.toHaveProperty('error')

  const broken = managerOf(() => Promise.reject(new TypeError('x is not a function')))
  broken.manager.launch({ host: 'lab', ...plain('vllm serve m') })
  await settled()
  const [view] = broken.manager.list()
  expect(view).toMatchObject({ state: 'failed', error: { code: 'internal', evidence: ['error id id-1'] } })
  expect(JSON.stringify(view)).not.toContain('is not a function')
  expect(broken.reported).toHaveLength(1)
})

test('a wrong command is refused before anything starts, an unknown launch is not found', () => {
  const { manager } = managerOf(() => Promise.reject(new Error('not asked')))
  expect(() => manager.launch({ host: 'lab', ...plain('ls -l') })).toThrow('is not a command that starts a vLLM server')
  expect(() => manager.launch({ host: 'lab', ...plain('cd /srv && vllm serve m') })).toThrow('cd in front')
  expect(manager.list()).toEqual([])
  expect(() => manager.watch('nope', new AbortController().signal)).toThrow('not known')
})

test('the newest fifty launches that are over are remembered', async () => {
  const { manager } = managerOf(() => Promise.resolve({ server, state: 'ready', seconds: 1, phases: [], known: {} }))
  for (let n = 0; n < 60; n++) {
    manager.launch({ host: 'lab', ...plain(`vllm serve m${String(n)}`) })
    await settled()
  }
  expect(manager.list()).toHaveLength(50)
  expect(manager.list()[0]?.command).toBe('vllm serve m59')
})

test('a command is taken apart for the form; the values of secrets are left out', () => {
  expect(
    commandView('A=1 HF_TOKEN=hf_abcdefghij vllm serve Qwen/Q --port 8001 --enable-x --dtype=auto -O 3 --api-key zzzzzzzz'),
  ).toEqual({
    ok: true,
    environment: [
      { name: 'A', value: '1', secret: false },
      { name: 'HF_TOKEN', value: '', secret: true },
      { name: 'VLLM_API_KEY', value: '', secret: true },
    ],
    model: 'Qwen/Q',
    flags: [
      { flag: '--port', value: '8001' },
      { flag: '--enable-x' },
      { flag: '--dtype', value: 'auto' },
      { flag: '-O', value: '3' },
    ],
    warnings: [expect.stringContaining('--api-key') as string],
  })
  expect(commandView("vllm serve 'open")).toMatchObject({ ok: false, error: expect.stringContaining('quote') as string })
  expect(commandView('')).toMatchObject({ ok: false })
})

test('log text waits in bounded pieces; what is left out is said, and lines stay whole', () => {
  let waiting: { text: string }[] = []
  for (let n = 0; n < 3000; n++) waiting = foldText(waiting, { text: `line ${String(n)} ${'x'.repeat(2000)}\n` })
  const all = waiting.map((piece) => piece.text).join('')
  expect(all.length).toBeLessThan(4 * 1024 * 1024 + 3000)
  expect(all).toContain('line 2999 ')
  expect(all).toMatch(/^\n\[\d+ characters are left out here/)
  expect(all.split('\n')[2]).toMatch(/^line \d+ x+$/)
  expect(foldText([{ text: 'a' }], { text: 'b' })).toEqual([{ text: 'ab' }])
})
