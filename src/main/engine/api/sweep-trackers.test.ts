import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createLab, hostRequest } from '../../../../test/sweep-lab.ts'
import { newRun } from '../../store/spool-lines.testing.ts'
import { createSweepTrackers } from './sweep-trackers.ts'
import { applyChange } from '../../../shared/run/index.ts'
import { follow } from './test-lab.ts'

async function newWorld() {
  const lab = await createLab()
  const trackers = createSweepTrackers({ store: lab.store, sweeps: lab.sweeps, now: Date.now, pollMs: 30 })
  onTestFinished(async () => {
    trackers.dispose()
    await lab.dispose()
  })
  return { lab, trackers }
}
const view = (
  trackers: ReturnType<typeof createSweepTrackers>,
  runId: string,
  until: Parameters<typeof follow<Parameters<typeof applyChange>[0], Parameters<typeof applyChange>[1]>>[2],
) => follow((signal) => trackers.watch(runId, signal), applyChange, until)

test('a run whose engine was killed beside its driver is interrupted, watched or not', async () => {
  const lab = await createLab()
  const { runs } = lab.store
  runs.create(newRun('dead', { contexts: [0], concurrency: [1] }))
  runs.setState('dead', 'preparing')
  runs.setState('dead', 'running')
  runs.setLocation('dead', { place: 'local', baseUrl: 'http://127.0.0.1:9', folder: join(lab.root, 'data/runs/dead'), epoch: 1 })
  const trackers = createSweepTrackers({ store: lab.store, sweeps: lab.sweeps, now: Date.now, pollMs: 30 })
  onTestFinished(async () => {
    trackers.dispose()
    await lab.dispose()
  })
  await expect.poll(() => runs.find('dead').state).toBe('interrupted')
  expect(await view(trackers, 'dead', ({ state }) => state === 'interrupted')).toMatchObject({ link: 'not_attached' })
  expect(runs.leaseHolder('dead')).toBeUndefined()
})

test('an attached run is told to shells: while it goes on, and when it ends', async () => {
  const { lab, trackers } = await newWorld()
  const ended: string[] = []
  const changes: number[] = []
  trackers.onEnded(({ name, state, reason }) => ended.push(`${name} ${state} ${reason ?? ''}`))
  trackers.onAttachedChange(() => changes.push(trackers.attached().length))
  const handle = await lab.sweeps.start(hostRequest({ driver: 'tunnel', settleSeconds: 0.3 }, { name: 'beside' }))
  trackers.attach(handle)
  expect(trackers.attached()).toMatchObject([{ runId: handle.runId, name: 'beside', needsThisMachine: true }])
  expect(trackers.handle(handle.runId)).toBe(handle)
  await handle.control({ kind: 'interrupt' })
  const over = await view(trackers, handle.runId, ({ state, link }) => state === 'interrupted' && link !== 'reading')
  expect(over.link).toBe('driver_gone')
  expect(ended).toEqual([expect.stringMatching(/^beside interrupted/) as string])
  expect([changes[0], changes.at(-1)]).toEqual([1, 0])
})

test('a page that stays behind gets the whole view, and the numbers go on without a gap', async () => {
  const { lab, trackers } = await newWorld()
  const { runs } = lab.store
  runs.create(newRun('r1', { contexts: [0], concurrency: [1] }))
  const leave = new AbortController()
  const reader = trackers.watch('r1', leave.signal)[Symbol.asyncIterator]()
  expect((await reader.next()).value).toMatchObject({ kind: 'snapshot', rev: 1 })
  const line = (n: number) => ({ n, t: n, m: n, kind: 'event' as const, level: 'info' as const, text: `e${String(n)}` })
  runs.appendLines(
    'r1',
    Array.from({ length: 700 }, (_, index) => line(index + 1)),
  )
  await expect.poll(() => runs.lastLine('r1')).toBe(700)
  await new Promise((resolve) => setTimeout(resolve, 100))
  const { value } = await reader.next()
  expect(value).toMatchObject({ kind: 'snapshot', rev: 2 })
  runs.appendLines('r1', [line(701)])
  expect((await reader.next()).value).toMatchObject({ kind: 'change', rev: 3, change: { events: [{ text: 'e701' }] } })
  leave.abort()
  await expect(trackers.watch('nope', new AbortController().signal)[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    code: 'not_found',
  })
})
