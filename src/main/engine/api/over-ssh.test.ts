import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sshdMissing } from '../../../../test/sshd.ts'
import type { HostView } from '../../../shared/contract/hosts.ts'
import { listRunsInput } from '../../../shared/contract/runs.ts'
import { planSchema } from '../../../shared/model/plan.ts'
import type { RunningEngine } from '../index.ts'
import { applyChange } from '../../../shared/run/index.ts'
import { answerPrompts, type ApiLab, createApiLab, eventually, follow, replaced } from './test-lab.ts'

const plan = planSchema.parse({ contexts: [0, 2048], concurrency: [1, 4], seconds: 1, settleSeconds: 0.3 })
type HostChange = { upsert: HostView } | { remove: string }
const applyHost = (views: HostView[], change: HostChange) =>
  'remove' in change
    ? views.filter((view) => view.host.name !== change.remove)
    : [...views.filter((view) => view.host.name !== change.upsert.host.name), change.upsert]

// One person's path, step after step, on a machine behind a real sshd.
describe.skipIf(sshdMissing() !== undefined)('the contract over a real sshd', () => {
  let lab: ApiLab
  let engine: RunningEngine
  let api: RunningEngine['api']
  let serverId = ''
  let runId = ''

  beforeAll(async () => {
    lab = await createApiLab()
    engine = lab.engine()
    api = engine.api
  })
  afterAll(async () => {
    await lab.dispose()
  })

  it('adds a host, asks about its key, and shows the connection as it changes', async () => {
    await api.hosts.add({ name: 'lab', target: lab.target, identityFile: lab.sshd.clientKeyPath })
    await expect(api.hosts.add({ name: 'lab', target: 'x' })).rejects.toMatchObject({ code: 'conflict' })
    const refusing = answerPrompts(api, { trust: false })
    await expect(api.hosts.connect({ name: 'lab' })).rejects.toMatchObject({ code: 'host_key_unknown' })
    refusing.abort()
    const states: string[] = []
    const watching = follow(
      (signal) => api.hosts.watch(signal),
      applyHost,
      (views) => {
        const view = views[0]
        if (view !== undefined && states.at(-1) !== view.connection) states.push(view.connection)
        return view?.connection === 'connected' && view.inventory !== undefined && view.runningServers === 0
      },
    )
    const trusting = answerPrompts(api, { trust: true })
    const inventory = await api.hosts.connect({ name: 'lab' })
    trusting.abort()
    expect(inventory.os).toBe('linux')
    expect((await watching)[0]).toMatchObject({ host: { name: 'lab' }, connection: 'connected', runningServers: 0 })
    expect(states).toEqual(['failed', 'connecting', 'connected'])
    const [known] = await api.app.knownHosts()
    expect(known).toMatchObject({ host: `[127.0.0.1]:${String(lab.sshd.port)}`, fingerprint: lab.sshd.hostKeyFingerprint })
  })

  it('runs the doctor check by check', async () => {
    const checks: string[] = []
    for await (const { check, outcome } of api.hosts.doctor({ name: 'lab' }, new AbortController().signal)) {
      checks.push(`${check} ${outcome}`)
    }
    expect(checks).toContain('authentication pass')
    expect(checks.length).toBeGreaterThan(8)
  })

  it('launches a saved command, keeps what it said, and reads its log', async () => {
    // A secret stands beside its command: saved by its name, launched with its value, which goes to the server's environment only.
    const token = `hf_${String(Math.random()).slice(2)}abcd`
    const saved = await api.servers.saveLaunch({ name: 'Small', text: lab.command, secrets: [{ name: 'HF_TOKEN' }] })
    expect(saved.command).toBe(`HF_TOKEN=<redacted> ${lab.command}`)
    expect(await api.servers.parse({ text: lab.command, secrets: [{ name: 'HF_TOKEN' }] })).toMatchObject({
      ok: true,
      environment: expect.arrayContaining([{ name: 'HF_TOKEN', value: '', secret: true }]) as unknown,
    })
    const unknown = { host: 'lab', text: saved.command, secrets: [] }
    await expect(api.servers.launch(unknown)).rejects.toMatchObject({ code: 'usage' })
    await expect(
      api.servers.saveLaunch({ name: 'x', text: `${lab.command} --api-key abcdefgh`, secrets: [] }),
    ).rejects.toMatchObject({
      code: 'usage',
    })
    await expect(api.servers.launch({ host: 'lab', text: 'rm -rf /', secrets: [] })).rejects.toMatchObject({ code: 'usage' })
    const { launchId } = await api.servers.launch({
      host: 'lab',
      text: lab.command,
      secrets: [{ name: 'HF_TOKEN', value: token }],
      name: 'one',
    })
    const ready = await follow(
      (signal) => api.servers.watchLaunch({ launchId }, signal),
      replaced,
      ({ state }) => state !== 'starting',
    )
    expect(ready).toMatchObject({ state: 'ready', host: 'lab', server: { name: 'one' } })
    expect(ready.phases.length).toBeGreaterThan(0)
    expect((await api.servers.launches())[0]).toEqual(ready)
    serverId = ready.server?.id ?? ''
    expect(readFileSync(`/proc/${String(ready.server?.identity?.pid)}/environ`, 'utf8').split('\0')).toContain(
      `HF_TOKEN=${token}`,
    )
    expect(ready.command).toMatch(/^HF_TOKEN=<redacted> /)
    expect(JSON.stringify(ready)).not.toContain(token)
    expect((await api.servers.savedLaunches())[0]).toMatchObject({ id: saved.id, lastUsedAt: expect.any(String) as string })
    await api.servers.removeLaunch({ id: saved.id })
    expect(await api.servers.list({ host: 'lab' })).toMatchObject([{ server: { id: serverId }, state: 'ready' }])

    let text = ''
    const leave = new AbortController()
    for await (const piece of api.servers.log({ host: 'lab', server: serverId, tailBytes: 100_000 }, leave.signal)) {
      text += piece.text
      if (text.includes('Application startup complete')) leave.abort()
    }
    expect(text).toContain('Application startup complete')
  })

  it('shows what lies on the host, and does not remove what is in use', async () => {
    const [kept] = await api.app.keptOnHost({ name: 'lab' })
    expect(kept).toMatchObject({
      path: expect.stringContaining(serverId) as string,
      what: expect.stringContaining('server') as string,
    })
    await expect(api.app.removeKeptOnHost({ name: 'lab', path: kept?.path ?? '' })).rejects.toMatchObject({ code: 'conflict' })
    const node = join(lab.root, 'home/.cache/speedgrid/node/v24-x64')
    mkdirSync(node, { recursive: true })
    writeFileSync(join(node, 'node'), 'x'.repeat(9000))
    const brought = (await api.app.keptOnHost({ name: 'lab' })).find(({ what }) => what.startsWith('Node'))
    expect(brought?.path).toBe(node)
    expect(brought?.bytes).toBeGreaterThanOrEqual(9000)
    await api.app.removeKeptOnHost({ name: 'lab', path: node })
    expect(existsSync(node)).toBe(false)
    await expect(api.app.removeKeptOnHost({ name: 'lab', path: '/etc' })).rejects.toMatchObject({ code: 'not_found' })
  })

  it('sweeps: two windows see the same, history follows, cells have their detail', async () => {
    const target = { kind: 'server', host: 'lab', server: serverId } as const
    expect((await api.sweeps.dryRun({ target, plan })).cells).toHaveLength(4)
    const history = follow(
      (signal) => api.runs.watch(signal),
      replaced,
      ({ recent }) => recent[0]?.state === 'finished',
    )
    runId = (await api.sweeps.start({ target, plan, name: 'First', tags: ['x'] })).runId
    expect(engine.attached()).toMatchObject([{ runId, name: 'First', needsThisMachine: false }])
    const watch = (until: number) =>
      follow(
        (signal) => api.sweeps.watch({ runId }, signal),
        applyChange,
        (view) => view.cells.filter((cell) => cell.status === 'valid').length >= until,
      )
    const first = watch(4)
    await watch(1)
    const [one, two] = await Promise.all([first, watch(4)])
    expect(one.cells).toEqual(two.cells)
    expect(one).toMatchObject({
      name: 'First',
      host: 'lab',
      place: 'host',
      link: 'reading',
      contexts: [0, 2048],
      concurrency: [1, 4],
    })
    expect((await history).recent[0]).toMatchObject({ id: runId, name: 'First', tags: ['x'], cellsDone: 4, cellsTotal: 4 })
    const over = await follow(
      (signal) => api.sweeps.watch({ runId }, signal),
      applyChange,
      (view) => view.state === 'finished' && view.link === 'not_attached',
    )
    expect(over.events.map((event) => event.text)).toContain('finished')
    expect(engine.attached()).toEqual([])
    const detail = await api.runs.cell({ runId, contextTokens: 2048, concurrency: 4 })
    expect(detail.attempts).toMatchObject([{ contextTokens: 2048, concurrency: 4, status: 'valid' }])
    await expect(api.sweeps.control({ runId, kind: 'pause' })).rejects.toMatchObject({ code: 'conflict' })
  })

  it('changes a run, throws it away and takes it back; reports are the preview', async () => {
    await api.runs.rename({ runId, name: 'Renamed' })
    await api.runs.tag({ runId, tags: ['a', 'b'] })
    await api.runs.note({ runId, note: 'careful' })
    expect(await api.runs.list(listRunsInput.parse({ search: 'renamed' }))).toMatchObject({
      rows: [{ id: runId, tags: ['a', 'b'], note: 'careful' }],
    })
    const gone = follow(
      (signal) => api.runs.watch(signal),
      replaced,
      ({ count, trashed }) => count === 0 && trashed === 1,
    )
    await api.runs.trash({ runIds: [runId], trashed: true })
    await gone
    expect(await api.runs.list(listRunsInput.parse({ trashed: true }))).toMatchObject({ matching: 1 })
    await api.runs.trash({ runIds: [runId], trashed: false })
    const shown = await api.reports.render({ runId, format: 'md' })
    const path = join(lab.root, 'report.md')
    await expect(api.reports.write({ runId, format: 'md', path })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('was not chosen') as string,
    })
    expect(existsSync(path)).toBe(false)
    engine.vouch(path)
    await api.reports.write({ runId, format: 'md', path })
    await expect(api.reports.write({ runId, format: 'html', path })).rejects.toMatchObject({ code: 'usage' })
    expect(readFileSync(path, 'utf8')).toBe(shown.data)
    await expect(api.reports.write({ runId, format: 'md', path: 'relative.md' })).rejects.toMatchObject({ code: 'usage' })
  })

  it('an engine that ends leaves the driver on the host; whoever looks next reads on, nothing twice', async () => {
    const slow = planSchema.parse({ ...plan, settleSeconds: 0.8 })
    const target = { kind: 'server', host: 'lab', server: serverId } as const
    const { runId: id } = await api.sweeps.start({ target, plan: slow, name: 'Second' })
    await follow(
      (signal) => api.sweeps.watch({ runId: id }, signal),
      applyChange,
      (view) => view.cells.some((cell) => cell.status === 'valid'),
    )
    await engine.dispose()
    await engine.dispose()

    engine = lab.engine()
    api = engine.api
    expect(engine.attached()).toEqual([])
    expect((await api.runs.row({ runId: id })).state).toBe('running')
    const ended: string[] = []
    engine.onEnded((one) => ended.push(`${one.name} ${one.state}`))
    const links = new Set<string>()
    const view = await follow(
      (signal) => api.sweeps.watch({ runId: id }, signal),
      applyChange,
      (now) => {
        links.add(now.link)
        return now.state === 'finished' && now.link === 'not_attached'
      },
    )
    expect(view.cells.map((cell) => `${cell.status} ${String(cell.attempts)}`)).toEqual(Array(4).fill('valid 1'))
    expect([...links]).toEqual(['not_attached', 'reading'])
    expect(ended).toEqual(['Second finished'])
  })

  it('another engine on the same folder shows the run that this one measures', async () => {
    const other = lab.engine()
    const target = { kind: 'server', host: 'lab', server: serverId } as const
    const { runId: id } = await api.sweeps.start({ target, plan, name: 'Third' })
    const seen = follow(
      (signal) => other.api.runs.watch(signal),
      replaced,
      ({ recent }) => recent.some((row) => row.id === id && row.state === 'finished'),
    )
    const reasons = new Set<string>()
    const view = await follow(
      (signal) => other.api.sweeps.watch({ runId: id }, signal),
      applyChange,
      (now) => {
        reasons.add(`${now.link} ${now.linkReason ?? ''}`)
        return now.state === 'finished'
      },
    )
    expect(view.cells.every((cell) => cell.status === 'valid')).toBe(true)
    expect([...reasons].join()).toContain('not_attached watched by another Speedgrid')
    await expect(other.api.sweeps.control({ runId: id, kind: 'stop' })).rejects.toMatchObject({ code: 'conflict' })
    await seen
    await other.dispose()
  })

  it('controls: paused, resumed, stopped', async () => {
    const target = { kind: 'server', host: 'lab', server: serverId } as const
    const { runId: id } = await api.sweeps.start({ target, plan, name: 'Fourth' })
    await api.sweeps.control({ runId: id, kind: 'pause' })
    await api.sweeps.control({ runId: id, kind: 'resume' })
    await api.sweeps.control({ runId: id, kind: 'stop' })
    const view = await follow(
      (signal) => api.sweeps.watch({ runId: id }, signal),
      applyChange,
      ({ state }) => state === 'stopped',
    )
    expect(view.cells.some((cell) => cell.status === 'cancelled')).toBe(true)
  })

  it('stops the server with its proof, and nothing is left on the host', async () => {
    const { launchId } = await api.servers.launch({ host: 'lab', text: lab.command, secrets: [] })
    await api.servers.cancelLaunch({ launchId })
    await follow(
      (signal) => api.servers.watchLaunch({ launchId }, signal),
      replaced,
      ({ state }) => state === 'cancelled',
    )
    expect(await api.servers.stop({ host: 'lab', server: serverId })).toMatchObject({ stopped: true, left: [], portFree: true })
    await eventually(async () => expect(await api.app.keptOnHost({ name: 'lab' })).toEqual([]))
  })

  it('removes the host, takes it back, and forgets its key', async () => {
    await api.hosts.remove({ name: 'lab' })
    expect(
      await follow(
        (signal) => api.hosts.watch(signal),
        applyHost,
        () => true,
      ),
    ).toEqual([])
    await api.hosts.restore({ name: 'lab' })
    await expect(api.hosts.restore({ name: 'lab' })).rejects.toMatchObject({ code: 'not_found' })
    const [view] = await follow(
      (signal) => api.hosts.watch(signal),
      applyHost,
      () => true,
    )
    expect(view).toMatchObject({ host: { name: 'lab' }, connection: 'never', inventory: { os: 'linux' } })
    const [key] = await api.app.knownHosts()
    await api.app.removeKnownHost({ line: key?.line ?? '' })
    await expect(api.app.removeKnownHost({ line: key?.line ?? '' })).rejects.toMatchObject({ code: 'not_found' })
    expect(await api.app.knownHosts()).toEqual([])
    expect(existsSync(join(lab.dataDir, 'known_hosts'))).toBe(true)
  })
})
