import { afterEach, expect, test } from 'vitest'
import type { EngineApi } from '../../../shared/contract/api.ts'
import type { FromEngine } from '../../../shared/contract/engine-process.ts'
import { SpeedgridError } from '../../../shared/model/error.ts'
import { createWatchedList } from '../api/feed/list.ts'
import { serveMessages, type ServedMessages } from './serve-messages.ts'

const list = createWatchedList<{ id: string }>((item) => item.id)
const api = {
  app: { info: () => Promise.resolve({ version: '9.9.9' }) },
  hosts: { watch: (signal: AbortSignal) => list.feed(signal) },
  runs: {
    document: ({ runId }: { runId: string }) =>
      Promise.reject(runId === 'bug' ? new TypeError('secret detail') : new SpeedgridError('not_found', 'There is no run.')),
  },
} as unknown as EngineApi

let served: ServedMessages | undefined
afterEach(() => served?.dispose())

function start() {
  const posted: FromEngine[] = []
  const reported: unknown[] = []
  const said: string[] = []
  served = serveMessages({
    context: {
      api,
      reportUnexpected: (error) => {
        reported.push(error)
        return 'id-7'
      },
    },
    post: (message) => posted.push(message),
    onShutdown: () => said.push('shutdown'),
    onResumed: () => said.push('resumed'),
    onChosen: (path) => said.push(`chosen ${path}`),
  })
  const frames = (connection: number) =>
    posted.flatMap((one) =>
      'data' in one && one.connection === connection ? [JSON.parse(one.data) as Record<string, unknown>] : [],
    )
  const send = (connection: number, frame: unknown) => served?.receive({ connection, data: JSON.stringify(frame) })
  return { served, posted, reported, said, frames, send }
}
const query = (id: number, path: string, input?: unknown) => ({
  id,
  method: 'query',
  params: { path, ...(input === undefined ? {} : { input }) },
})

test('several pages over one wire, each answered under its own number', async () => {
  const { served, frames, send } = start()
  served.receive({ connection: 1, open: true })
  served.receive({ connection: 2, open: true })
  send(1, query(1, 'app.info'))
  send(2, query(8, 'app.info'))
  await expect.poll(() => frames(1)).toEqual([{ id: 1, result: { type: 'data', data: { version: '9.9.9' } } }])
  expect(frames(2)).toEqual([{ id: 8, result: { type: 'data', data: { version: '9.9.9' } } }])
})

test('subscriptions end with their page, and leave no listener', async () => {
  const { served, frames, send } = start()
  const watch = { id: 3, method: 'subscription', params: { path: 'hosts.watch' } }
  for (const connection of [1, 2]) {
    served.receive({ connection, open: true })
    send(connection, watch)
  }
  await expect.poll(() => list.watchers).toBe(2)
  list.upsert({ id: 'a' })
  await expect.poll(() => frames(1).at(-1)).toMatchObject({ result: { data: { change: { upsert: { id: 'a' } } } } })
  served.receive({ connection: 1, close: true })
  await expect.poll(() => list.watchers).toBe(1)
  send(2, { id: 3, method: 'subscription.stop' })
  await expect.poll(() => list.watchers).toBe(0)
  expect(frames(1).length).toBeGreaterThan(0)
})

test('errors for people pass whole; a bug is an id and nothing else', async () => {
  const { served, frames, send, reported } = start()
  served.receive({ connection: 1, open: true })
  send(1, query(1, 'runs.document', { runId: 'x' }))
  send(1, query(2, 'runs.document', { runId: 'bug' }))
  await expect.poll(() => frames(1).length).toBe(2)
  const byId = (id: number) => JSON.stringify(frames(1).find((frame) => frame.id === id))
  expect(byId(1)).toContain('"info":{"code":"not_found","cause":"There is no run."')
  expect(byId(2)).toContain('error id id-7')
  expect(byId(2)).not.toContain('secret detail')
  expect(byId(2)).not.toContain('stack')
  expect(reported).toHaveLength(1)
})

test('PING is answered; what does not fit is dropped; words for the process are heard', async () => {
  const { served, posted, said } = start()
  served.receive({ connection: 1, open: true })
  served.receive({ connection: 1, data: 'PING' })
  await expect.poll(() => posted).toEqual([{ connection: 1, data: 'PONG' }])
  for (const odd of [undefined, 'x', 5, {}, { connection: 'a', data: 'x' }, { connection: 9, data: 'PING' }, { kind: 'reboot' }])
    served.receive(odd)
  served.receive({ kind: 'resumed' })
  served.receive({ kind: 'chosen', path: '/home/me/report.md' })
  served.receive({ kind: 'shutdown' })
  expect(said).toEqual(['resumed', 'chosen /home/me/report.md', 'shutdown'])
  expect(posted).toHaveLength(1)
  served.dispose()
  expect(posted.at(-1)).toEqual({ connection: 1, close: true })
  served.receive({ connection: 1, data: 'PING' })
  expect(posted).toHaveLength(2)
})
