import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test as each, type TestContext } from 'vitest'
import { SpeedgridError } from '../../shared/model/error.ts'
import type { SpoolLine } from '../../shared/model/spool.ts'
import { API_KEY, createLab, hostRequest, type Lab, type LabOptions } from '../../../test/sweep-lab.ts'
import { isProcessAlive } from '../store/index.ts'
import type { SweepHandle } from './types.ts'

async function newLab(context: TestContext, options?: LabOptions): Promise<Lab> {
  const lab = await createLab(options)
  context.onTestFinished(() => lab.dispose())
  return lab
}
async function errorOf(work: Promise<unknown>): Promise<SpeedgridError> {
  return await work.then(
    () => Promise.reject(new Error('nothing was thrown')),
    (error: unknown) => (error instanceof SpeedgridError ? error : Promise.reject(error)),
  )
}
function textsOf(lab: Lab, runId: string): string[] {
  return lab.store.runs.document(runId).events.map((event) => event.text)
}
async function seen(handle: SweepHandle, wanted: (line: SpoolLine) => boolean): Promise<void> {
  await new Promise<void>((resolve) => {
    const stop = handle.onLine((line) => {
      if (!wanted(line)) return
      resolve()
      queueMicrotask(() => stop())
    })
  })
}
// Each has a lab of its own, and most of its time goes by waiting.
const test = each.concurrent
const keySum = createHash('sha256').update(API_KEY).digest('hex').slice(0, 8)
const statuses = (lab: Lab, id: string) =>
  lab.store.runs.document(id).cells.map((cell) => `${String(cell.concurrency)} ${cell.status} ${String(cell.attempts)}`)

test('a sweep on the host is carried out, stored once and leaves nothing', async (context) => {
  const lab = await newLab(context)
  const handle = await lab.sweeps.start(hostRequest({ model: 'ack' }, { name: 'first', tags: ['x'] }))
  expect(handle.place).toBe('host')
  const numbers: number[] = []
  handle.onLine((line) => numbers.push(line.n))
  expect(await handle.finished).toMatchObject({ state: 'finished' })
  expect(numbers).toEqual(numbers.map((_, index) => index + 1))

  const document = lab.sweeps.document('first')
  expect(document.cells.map((cell) => [cell.contextTokens, cell.concurrency, cell.status, cell.totalTokensPerSecond])).toEqual([
    [0, 1, 'valid', 100],
    [0, 4, 'valid', 400],
    [2048, 1, 'valid', 100],
    [2048, 4, 'valid', 400],
  ])
  expect(document).toMatchObject({
    tags: ['x'],
    host: { name: 'lab', address: '10.0.0.7' },
    path: { driver: 'host' },
    state: 'finished',
  })
  expect(document.engine).toMatchObject({ kvTokens: 4096, kvTokensSource: 'startup_log' })
  expect(textsOf(lab, handle.runId)).toEqual([`key ${keySum}`, 'acked true', 'input '])
  expect(lab.leftFolders()).toEqual([])
  expect(lab.store.runs.location(handle.runId)).toBeUndefined()
  expect(lab.store.runs.leaseHolder(handle.runId)).toBeUndefined()
})

test('the key is in no file and no argument while the driver runs', async (context) => {
  const lab = await newLab(context)
  const handle = await lab.sweeps.start(hostRequest({ settleSeconds: 30 }))
  await seen(handle, (line) => line.kind === 'live')
  const folder = lab.store.runs.location(handle.runId)?.folder ?? ''
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(readdirSync(folder)).toEqual(
    expect.arrayContaining(['driver.json', 'driver.log', 'driver.mjs', 'job.json', 'spool.jsonl']),
  )
  for (const name of readdirSync(folder)) {
    expect(readFileSync(join(folder, name), 'utf8')).not.toContain(API_KEY)
    if (name !== 'control.jsonl') expect(statSync(join(folder, name)).mode & 0o077).toBe(0)
  }
  const { pid, session } = JSON.parse(readFileSync(join(folder, 'driver.json'), 'utf8')) as { pid: number; session: number }
  expect(session).toBe(pid)
  for (const name of ['cmdline', 'environ']) expect(readFileSync(`/proc/${String(pid)}/${name}`, 'utf8')).not.toContain(API_KEY)
  const job = JSON.parse(readFileSync(join(folder, 'job.json'), 'utf8')) as unknown
  expect(job).toMatchObject({ place: 'host', gpuIndexes: [1], gpuTelemetry: 'none', epoch: 1, firstLine: 1 })
  await handle.control({ kind: 'stop' })
  expect(await handle.finished).toEqual({ state: 'stopped', reason: 'stopped as asked' })
  expect(statuses(lab, handle.runId)).toEqual(['1 cancelled 0', '4 cancelled 0', '1 cancelled 0', '4 cancelled 0'])
  expect(lab.leftFolders()).toEqual([])
  expect(isProcessAlive(pid, '')).toBe(false)
})

test('beside the engine: through the tunnel, and directly', async (context) => {
  const lab = await newLab(context)
  const tunnel = await lab.sweeps.start(hostRequest({ driver: 'tunnel', settleSeconds: 0.3 }))
  await seen(tunnel, (line) => line.kind === 'live')
  const folder = lab.store.runs.location(tunnel.runId)?.folder ?? ''
  const job = JSON.parse(readFileSync(join(folder, 'job.json'), 'utf8')) as { target: { socketPath: string } }
  expect(existsSync(job.target.socketPath)).toBe(true)
  expect(await tunnel.finished).toMatchObject({ state: 'finished' })
  expect(textsOf(lab, tunnel.runId)).toEqual([`key ${keySum}`, 'input tunnel'])
  expect(existsSync(job.target.socketPath)).toBe(false)

  const direct = await lab.sweeps.start({
    ...hostRequest(),
    target: { kind: 'url', url: 'http://127.0.0.1:9/v1', apiKey: API_KEY },
  })
  expect(direct.place).toBe('local')
  expect(await direct.finished).toMatchObject({ state: 'finished' })
  expect(lab.store.runs.document(direct.runId)).toMatchObject({ path: { driver: 'local' }, state: 'finished' })
  expect(textsOf(lab, direct.runId)[0]).toBe(`key ${keySum}`)
  expect(lab.leftFolders()).toEqual([])
})

test('a torn last line waits for its rest; lines of no kind are said and passed over', async (context) => {
  const lab = await newLab(context)
  const torn = await lab.sweeps.start(hostRequest({ model: 'torn' }))
  expect(await torn.finished).toMatchObject({ state: 'finished' })
  expect(statuses(lab, torn.runId)).toEqual(['1 valid 1', '4 valid 1', '1 valid 1', '4 valid 1'])
  const invalid = await lab.sweeps.start(hostRequest({ model: 'invalid' }))
  expect(await invalid.finished).toMatchObject({ state: 'finished' })
  const texts = textsOf(lab, invalid.runId).filter((text) => text.startsWith('In the driver'))
  expect(texts).toHaveLength(1)
  expect(texts[0]).toContain('not a line at all')
  expect(statuses(lab, invalid.runId).every((status) => status.includes('valid'))).toBe(true)
})

test('what is lost of a spool is said; the run is interrupted, and resume measures it', async (context) => {
  const lab = await newLab(context)
  for (const target of [hostRequest().target, { kind: 'url' as const, url: 'http://127.0.0.1:9' }]) {
    const handle = await lab.sweeps.start({ ...hostRequest({ model: 'lossy' }), target })
    const outcome = await handle.finished
    expect(outcome).toMatchObject({ state: 'interrupted', reason: '1 of 4 cells have no result here' })
    expect(outcome.error?.nextStep).toContain(`resume ${handle.runId}`)
    expect(statuses(lab, handle.runId)).toEqual(['1 valid 1', '4 pending 0', '1 valid 1', '4 valid 1'])
    expect(textsOf(lab, handle.runId).filter((text) => text.includes('missing in the driver'))).toHaveLength(1)
    const again = await lab.sweeps.resume(handle.runId, { apiKey: API_KEY })
    expect(await again.finished).toMatchObject({ state: 'finished' })
    expect(statuses(lab, handle.runId)).toEqual(['1 valid 1', '4 valid 1', '1 valid 1', '4 valid 1'])
    expect(lab.leftFolders()).toEqual([])
  }
})

test('a driver that dies leaves an interrupted run, and resume measures what is missing', async (context) => {
  const lab = await newLab(context)
  const handle = await lab.sweeps.start(hostRequest({ model: 'die' }))
  const links: string[] = []
  handle.onLink((state) => links.push(state.state))
  const outcome = await handle.finished
  expect(outcome).toMatchObject({ state: 'interrupted', error: { evidence: ['out of memory, said the driver'] } })
  expect(outcome.error?.nextStep).toContain(handle.runId)
  expect(links.at(-1)).toBe('driver_gone')
  expect(statuses(lab, handle.runId)).toEqual(['1 valid 1', '4 valid 1', '1 pending 0', '4 pending 0'])
  expect(lab.leftFolders()).toEqual([])

  const again = await lab.sweeps.resume(handle.runId)
  expect(await again.finished).toMatchObject({ state: 'finished' })
  expect(statuses(lab, handle.runId)).toEqual(['1 valid 1', '4 valid 1', '1 valid 1', '4 valid 1'])
  const hellos = [...lab.store.runs.lines(handle.runId)].filter((line) => line.kind === 'hello')
  expect(hellos.map((line) => line.epoch)).toEqual([1, 2])
  expect((await errorOf(lab.sweeps.resume(handle.runId))).message).toContain('finished')
  expect(lab.leftFolders()).toEqual([])
})

test('a server that was launched anew has another id: resume goes on with it, and with the same model', async (context) => {
  const lab = await newLab(context)
  const handle = await lab.sweeps.start(hostRequest({ model: 'die' }))
  expect(await handle.finished).toMatchObject({ state: 'interrupted' })
  lab.launchedAgainAs('serv-2')
  const again = await lab.sweeps.resume(handle.runId)
  await again.finished
  expect(lab.store.runs.document(handle.runId).state).toBe('finished')
  expect(textsOf(lab, handle.runId)).toContain("goes on with server serv-2: serv-1 isn't running any more")
})

test('detach leaves a driver on the host running; whoever resumes reads on', async (context) => {
  const lab = await newLab(context)
  const handle = await lab.sweeps.start(hostRequest({ settleSeconds: 0.25 }))
  await seen(handle, (line) => line.kind === 'attempt')
  await handle.detach()
  expect(await handle.finished).toMatchObject({ state: 'running' })
  const stored = lab.store.runs.lastLine(handle.runId)
  await delay(400)
  expect(lab.store.runs.lastLine(handle.runId)).toBe(stored)

  const again = await lab.sweeps.resume(handle.runId)
  const numbers: number[] = []
  again.onLine((line) => numbers.push(line.n))
  expect(await again.finished).toMatchObject({ state: 'finished' })
  expect(new Set(numbers).size).toBe(numbers.length)
  expect(statuses(lab, handle.runId)).toEqual(['1 valid 1', '4 valid 1', '1 valid 1', '4 valid 1'])
  expect([...lab.store.runs.lines(handle.runId)].filter((line) => line.kind === 'hello')).toHaveLength(1)
})

test('a driver that finished while nobody watched is read to its end', async (context) => {
  const lab = await newLab(context)
  const handle = await lab.sweeps.start(hostRequest({ settleSeconds: 0.05 }))
  await handle.detach()
  await delay(800)
  const again = await lab.sweeps.resume(handle.runId)
  expect(await again.finished).toMatchObject({ state: 'finished' })
  expect(statuses(lab, handle.runId)).toEqual(['1 valid 1', '4 valid 1', '1 valid 1', '4 valid 1'])
  expect(lab.leftFolders()).toEqual([])
})

test('detach interrupts a driver beside the engine, and resume goes on', async (context) => {
  const lab = await newLab(context)
  const request = { ...hostRequest({ settleSeconds: 0.2 }), target: { kind: 'url' as const, url: 'http://127.0.0.1:9' } }
  const handle = await lab.sweeps.start(request)
  await seen(handle, (line) => line.kind === 'attempt')
  await handle.detach()
  expect(await handle.finished).toMatchObject({ state: 'interrupted' })
  expect(lab.leftFolders()).toEqual([])
  const again = await lab.sweeps.resume(handle.runId, { apiKey: API_KEY })
  expect(await again.finished).toMatchObject({ state: 'finished' })
  expect(statuses(lab, handle.runId)).toEqual(['1 valid 1', '4 valid 1', '1 valid 1', '4 valid 1'])
})

test('two engines: the second is told who watches, and takes over when the first lets go', async (context) => {
  const first = await newLab(context)
  const second = await newLab(context, { homeDir: first.homeDir, dataDir: first.dataDir })
  const handle = await first.sweeps.start(hostRequest({ settleSeconds: 0.25 }))
  expect(await first.sweeps.resume(handle.runId)).toBe(handle)
  const error = await errorOf(second.sweeps.resume(handle.runId))
  expect(error.code).toBe('conflict')
  expect(error.message).toContain(String(process.pid))
  await handle.detach()
  const taken = await second.sweeps.resume(handle.runId)
  expect(await taken.finished).toMatchObject({ state: 'finished' })
  expect(statuses(first, handle.runId)).toEqual(['1 valid 1', '4 valid 1', '1 valid 1', '4 valid 1'])
})

test('a link that is down is said, and the sweep is read on when it is back', async (context) => {
  let down = false
  const lab = await newLab(context, {
    wrapLink: (link) => ({
      ...link,
      files: {
        ...link.files,
        read: (...args) =>
          down ? Promise.reject(new SpeedgridError('link_lost', 'The connection broke')) : link.files.read(...args),
      },
    }),
  })
  const handle = await lab.sweeps.start(hostRequest({ settleSeconds: 0.2 }))
  const states: string[] = []
  handle.onLink((state) => states.push(state.state))
  await seen(handle, (line) => line.kind === 'attempt')
  down = true
  await delay(400)
  down = false
  expect(await handle.finished).toMatchObject({ state: 'finished' })
  expect(states).toEqual(['reading', 'link_down', 'reading'])
  expect(statuses(lab, handle.runId)).toEqual(['1 valid 1', '4 valid 1', '1 valid 1', '4 valid 1'])
})

test('a link that does not answer is said as well', async (context) => {
  let wait: Promise<void> | undefined
  const lab = await newLab(context, {
    wrapLink: (link) => ({
      ...link,
      files: { ...link.files, read: async (...args) => await (wait ?? Promise.resolve()).then(() => link.files.read(...args)) },
    }),
  })
  const handle = await lab.sweeps.start(hostRequest({ settleSeconds: 0.2 }))
  const states: string[] = []
  handle.onLink((state) => states.push(state.state))
  await seen(handle, (line) => line.kind === 'attempt')
  wait = delay(700)
  expect(await handle.finished).toMatchObject({ state: 'finished' })
  expect(states).toEqual(['reading', 'link_down', 'reading'])
})

test('a full disk here ends the watching with an error; the sweep on the host runs on and loses nothing', async (context) => {
  let full = false
  const lab = await newLab(context, {
    wrapStore: (store) => ({
      ...store,
      runs: {
        ...store.runs,
        appendLines: (...args) => {
          if (full) throw new SpeedgridError('disk_full', 'The disk of the data folder is full')
          return store.runs.appendLines(...args)
        },
      },
    }),
  })
  const handle = await lab.sweeps.start(hostRequest({ settleSeconds: 0.2 }))
  await seen(handle, (line) => line.kind === 'attempt')
  full = true
  expect(await handle.finished).toMatchObject({ state: 'running', error: { code: 'disk_full' } })
  full = false
  const again = await lab.sweeps.resume(handle.runId)
  expect(await again.finished).toMatchObject({ state: 'finished' })
  expect(statuses(lab, handle.runId)).toEqual(['1 valid 1', '4 valid 1', '1 valid 1', '4 valid 1'])
})

test('a link that is lost just when the folder goes is waited for: nothing is left, and nothing is said', async (context) => {
  let losses = 0
  const lab = await newLab(context, {
    wrapLink: (link) => ({
      ...link,
      script: (script, ...rest) => {
        if (!script.includes('rm -rf') || losses >= 2) return link.script(script, ...rest)
        losses += 1
        return Promise.reject(new SpeedgridError('link_lost', 'The connection broke'))
      },
    }),
  })
  const handle = await lab.sweeps.start(hostRequest())
  expect(await handle.finished).toMatchObject({ state: 'finished' })
  expect(losses).toBe(2)
  expect(lab.leftFolders()).toEqual([])
  expect(lab.store.runs.leftovers()).toEqual([])
  expect(textsOf(lab, handle.runId).filter((text) => text.includes('could not be removed'))).toEqual([])
})

test('a folder that cannot be removed is said, and removed by the next sweep', async (context) => {
  let broken = true
  const lab = await newLab(context, {
    wrapLink: (link) => ({
      ...link,
      script: (script, ...rest) =>
        broken && script.includes('rm -rf')
          ? Promise.reject(new SpeedgridError('link_lost', 'The connection broke'))
          : link.script(script, ...rest),
    }),
  })
  const handle = await lab.sweeps.start(hostRequest())
  expect(await handle.finished).toMatchObject({ state: 'finished' })
  expect(textsOf(lab, handle.runId).at(-1)).toContain('could not be removed: The connection broke')
  expect(lab.leftFolders()).toEqual([handle.runId])
  broken = false
  await lab.sweeps.dryRun(hostRequest())
  expect(lab.leftFolders()).toEqual([])
  expect(lab.store.runs.leftovers()).toEqual([])
})

test('what a driver says is stored without secrets, whatever form they have and however old it is', async (context) => {
  const lab = await newLab(context)
  const handle = await lab.sweeps.start(hostRequest({ model: 'leaky' }))
  expect(await handle.finished).toMatchObject({ state: 'finished' })
  expect(textsOf(lab, handle.runId)).toContain('the server said <redacted>, <redacted> and {"hub_token": "<redacted>"}')
  const stored = JSON.stringify([...lab.store.runs.lines(handle.runId)])
  for (const secret of [API_KEY, Buffer.from(API_KEY).toString('base64').slice(0, -4), 'other-secret']) {
    expect(stored).not.toContain(secret)
  }
})

test('a dry run answers and stores nothing', async (context) => {
  const lab = await newLab(context)
  const answer = await lab.sweeps.dryRun(hostRequest())
  expect(answer).toMatchObject({ place: 'host', contexts: [0, 2048], facts: { servedModel: 'fake', kvTokens: 4096 } })
  expect(answer.cells).toHaveLength(4)
  expect((await lab.sweeps.dryRun(hostRequest({ driver: 'tunnel' }))).place).toBe('tunnel')
  const error = await errorOf(lab.sweeps.dryRun(hostRequest({ model: 'unauthorized' })))
  expect(error.toInfo()).toEqual({
    code: 'unauthorized',
    cause: 'The server answered 401',
    evidence: ['HTTP 401'],
    nextStep: 'Give the key.',
  })
  expect(lab.store.runs.list()).toEqual([])
  expect(lab.leftFolders()).toEqual([])
})

test('a driver that does not start is explained without the key, and no run is kept', async (context) => {
  const lab = await newLab(context)
  for (const driver of ['host', 'tunnel'] as const) {
    const error = await errorOf(lab.sweeps.start(hostRequest({ model: 'no-start', driver })))
    expect(error.evidence.join('\n')).toContain('cannot start, and my key is <redacted>')
    expect(lab.store.runs.list()).toEqual([])
    expect(lab.leftFolders()).toEqual([])
  }
})

test('a run that fails keeps the reason', async (context) => {
  const lab = await newLab(context)
  const handle = await lab.sweeps.start(hostRequest({ model: 'unauthorized' }))
  expect(await handle.finished).toMatchObject({ state: 'failed', error: { code: 'unauthorized' } })
  expect(lab.store.runs.document(handle.runId)).toMatchObject({ state: 'failed', reason: 'The server answered 401' })
})

test('without Node there: the tunnel by default, refused where the host was asked for', async (context) => {
  const lab = await newLab(context, { inventory: { node: { path: '/usr/bin/node', version: 'v18.19.0' } } })
  const answer = await lab.sweeps.dryRun(hostRequest())
  expect(answer.place).toBe('tunnel')
  expect(answer.placeNote).toContain('v18.19.0')
  const error = await errorOf(lab.sweeps.start(hostRequest({ driver: 'host' })))
  expect(error.code).toBe('no_node')
  expect(error.nextStep).toContain('--send-node')
})

test('what cannot be is refused before anything is started', async (context) => {
  const lab = await newLab(context)
  const url = (text: string) => ({ ...hostRequest(), target: { kind: 'url' as const, url: text } })
  expect((await errorOf(lab.sweeps.start(url('ftp://x')))).code).toBe('usage')
  expect((await errorOf(lab.sweeps.start(url('http://me:pw@x')))).message).not.toContain('pw@')
  expect((await errorOf(lab.sweeps.start(url('http://x/api/v2')))).code).toBe('usage')
  expect((await errorOf(lab.sweeps.start(hostRequest({ driver: 'local' })))).code).toBe('usage')
  expect((await errorOf(lab.sweeps.start(hostRequest({}, { target: { kind: 'server', host: 'nowhere' } })))).code).toBe(
    'unknown_host',
  )
  const gone = await errorOf(lab.sweeps.start(hostRequest({}, { target: { kind: 'server', host: 'lab', server: 'gone-1' } })))
  expect(gone.code).toBe('server_gone')
  expect(gone.nextStep).toContain('speedgrid launch lab')
  expect(lab.store.runs.list()).toEqual([])
})
