import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import net from 'node:net'
import { hostname } from 'node:os'
import { afterEach, describe, expect, it } from 'vitest'
import { writeWords } from '../../shared/command/index.ts'
import type { Server } from '../../shared/model/server.ts'
import { signalMembers, viewSession } from './session.ts'
import { createTestHost, isAlive, processesWith, type TestHost } from './test-host.ts'

describe('stop', () => {
  let host: TestHost
  afterEach(() => host.dispose())

  const launch = async (...assignments: string[]): Promise<Server & { identity: NonNullable<Server['identity']> }> => {
    const { server, error } = await host.servers.launch({ host: 'lab', text: writeWords([...assignments, 'vllm', 'serve', 'm']) })
    if (server.identity === undefined) throw new Error(`not started: ${error?.cause ?? ''}`)
    return { ...server, identity: server.identity }
  }

  it('ends the server by TERM to its main process alone, and proves it', async () => {
    host = await createTestHost()
    const server = await launch()
    const report = await host.servers.stop('lab', server.id)
    expect(report).toMatchObject({ stopped: true, left: [], portFree: true })
    expect(report.signalled).toEqual([expect.objectContaining({ pid: server.identity.pid, signal: 'TERM' })])
    expect(await processesWith(server.id)).toEqual([])
    expect(await portIsFree(server.port)).toBe(true)
    expect(await host.folders()).toEqual([])
    await expect(host.servers.stop('lab', server.id)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('clears what a SIGKILLed main process left behind', async () => {
    host = await createTestHost()
    const server = await launch()
    const orphans = (await processesWith(server.id)).map(({ pid }) => pid).filter((pid) => pid !== server.identity.pid)
    expect(orphans.length).toBeGreaterThan(0)
    process.kill(server.identity.pid, 'SIGKILL')
    await until(async () => (await host.servers.list('lab'))[0]?.state === 'gone')
    expect((await host.servers.list('lab'))[0]?.evidence).toContain('left of its session')
    const report = await host.servers.stop('lab', server.id)
    expect(report).toMatchObject({ stopped: true, left: [] })
    expect(report.signalled.map(({ pid }) => pid)).toEqual(orphans)
    expect(orphans.filter(isAlive)).toEqual([])
    expect(await host.folders()).toEqual([])
  })

  it('ends children that the main process forgot, and kills who does not listen to TERM', async () => {
    host = await createTestHost({ stopTimes: { leaderGraceMs: 300, restGraceMs: 300, pollMs: 50 } })
    const forgetful = await launch('FAKE_KEEP_CHILD=1')
    const first = await host.servers.stop('lab', forgetful.id)
    expect(first.signalled.map(({ signal }) => signal)).toEqual(['TERM', 'TERM'])
    const stubborn = await launch('FAKE_STUBBORN=1')
    const second = await host.servers.stop('lab', stubborn.id)
    expect(second.signalled.map(({ signal }) => signal)).toEqual(['TERM', 'TERM', 'TERM', 'KILL'])
    expect(second.stopped).toBe(true)
    expect(await processesWith(stubborn.id)).toEqual([])
  })

  it('sees the children while the main process gives its memory back, when its environment can be read no more', async () => {
    host = await createTestHost()
    const bootId = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
    for (let round = 0; round < 3; round += 1) {
      const id = `srv-ending-${String(round)}`
      const main = spawn(
        'sh',
        [
          '-c',
          'sleep 60 & exec "$0" -e "const held = Buffer.alloc(4e8, 1); setInterval(() => held, 1000); console.log(1)"',
          process.execPath,
        ],
        {
          detached: true,
          stdio: ['ignore', 'pipe', 'ignore'],
          env: { ...process.env, SPEEDGRID_SERVER: id },
        },
      )
      const pid = main.pid ?? 0
      await once(main.stdout, 'data')
      const identity = { pid, session: pid, startTicks: await startOf(pid), bootId, hostName: hostname() }
      const [child] = (await viewSession(host.link, id, identity)).members.filter((member) => member.pid !== pid)
      if (child === undefined) throw new Error('the child was not seen')
      process.kill(pid, 'SIGTERM')
      for (let state = 'ours'; state === 'ours' || isAlive(pid); ) {
        const view = await viewSession(host.link, id, identity)
        state = view.state
        expect(view.members).toContainEqual(child)
      }
      process.kill(child.pid, 'SIGKILL')
    }
  })

  it('never touches a process that got the number of one of ours', async () => {
    host = await createTestHost()
    const server = await launch()
    const bystander = spawn('setsid', ['sleep', '60'], { stdio: 'ignore' })
    const pid = bystander.pid ?? 0
    await until(async () => (await sessionOf(pid)) === pid)
    // A state file that names the bystander's pid and session, with the start time of ours.
    const lookalike = { ...server.identity, pid, session: pid }
    expect(await viewSession(host.link, server.id, lookalike)).toMatchObject({ state: 'gone', members: [] })
    // The leader's number unused, the session's number taken by a later session: no marker, so not ours.
    const orphaned = { ...server.identity, pid: unusedPid(), session: pid }
    expect(await viewSession(host.link, server.id, orphaned)).toMatchObject({ state: 'gone', members: [], strangers: [{ pid }] })
    // Seen a moment ago, another process now.
    expect(await signalMembers(host.link, server.id, lookalike, 'KILL', [{ pid, startTicks: '1', command: '' }])).toEqual([])
    expect(
      await signalMembers(host.link, server.id, { ...lookalike, bootId: 'x' }, 'KILL', [{ pid, startTicks: '1', command: '' }]),
    ).toEqual([])
    const state = { schema: 'speedgrid.server/1', server: { ...server, identity: lookalike }, addedFlags: [] }
    await host.link.files.write(`${server.folder ?? ''}/server.json`, JSON.stringify(state), 0o600)
    const report = await host.servers.stop('lab', server.id)
    expect(report.signalled).toEqual([])
    expect(isAlive(pid)).toBe(true)
    bystander.kill()
    for (const one of await processesWith(server.id)) process.kill(one.pid, 'SIGKILL')
  })

  it('knows that a restart of the host ended everything, and leaves servers of other machines alone', async () => {
    host = await createTestHost()
    const server = await launch()
    const { identity } = server
    expect(await viewSession(host.link, server.id, { ...identity, bootId: 'before' })).toMatchObject({
      state: 'gone',
      members: [],
    })
    expect(await viewSession(host.link, server.id, { ...identity, hostName: 'elsewhere' })).toMatchObject({ state: 'other_host' })
    const write = async (hostName: string) => {
      const state = { schema: 'speedgrid.server/1', server: { ...server, identity: { ...identity, hostName } }, addedFlags: [] }
      await host.link.files.write(`${server.folder ?? ''}/server.json`, JSON.stringify(state), 0o600)
    }
    await write('elsewhere')
    expect(await host.servers.list('lab')).toEqual([])
    await expect(host.servers.stop('lab', server.id)).rejects.toMatchObject({ code: 'conflict' })
    expect(isAlive(identity.pid)).toBe(true)
    await write(identity.hostName)
  })

  it('takes over a server that somebody else started, without ever stopping it', async () => {
    host = await createTestHost()
    const server = await launch('VLLM_API_KEY=known-to-the-person')
    // Forgotten by us: without a state file it is anybody's.
    await host.link.files.remove(`${server.folder ?? ''}/server.json`)
    await expect(host.servers.adopt('lab', server.port)).rejects.toMatchObject({ code: 'unauthorized' })
    const adopted = await host.servers.adopt('lab', server.port, { apiKey: 'known-to-the-person', name: 'theirs' })
    expect(adopted).toMatchObject({ adopted: true, port: server.port, identity: { pid: server.identity.pid } })
    expect(adopted.logPath).toContain('server.log')
    expect(await host.servers.apiKey(adopted)).toBe('known-to-the-person')
    expect(await readFile(`${host.home}/.cache/speedgrid/servers/${adopted.id}/server.json`, 'utf8')).not.toContain(
      'known-to-the-person',
    )
    expect(await host.servers.find('lab', 'theirs')).toMatchObject({ state: 'ready' })
    await expect(host.servers.stop('lab', 'theirs')).rejects.toMatchObject({ code: 'conflict' })
    expect(isAlive(server.identity.pid)).toBe(true)
    process.kill(server.identity.pid, 'SIGTERM')
    await until(async () => (await host.servers.list('lab'))[0]?.state === 'gone')
    // What is left of somebody else's session is theirs: it is not named as something that stop would end.
    expect((await host.servers.list('lab'))[0]?.evidence).not.toContain('stop ends them')
    expect(await host.servers.stop('lab', 'theirs')).toMatchObject({ stopped: true, signalled: [] })
    expect(await host.folders()).toEqual([server.id])
    await expect(host.servers.adopt('lab', server.port)).rejects.toMatchObject({ code: 'not_found' })
  })
})

async function until(check: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < 400; round += 1) {
    if (await check()) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error('never happened')
}

/** In clock ticks since boot, as /proc has it. */
async function startOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${String(pid)}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}

async function sessionOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${String(pid)}/stat`, 'utf8').catch(() => '')
  return Number(stat.replace(/^.*\) /s, '').split(' ')[3])
}

function unusedPid(): number {
  for (let pid = 30_000; pid > 1000; pid -= 1) if (!isAlive(pid)) return pid
  throw new Error('no pid is free')
}

async function portIsFree(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const server = net.createServer().once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
