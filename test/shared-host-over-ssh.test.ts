import { chmodSync, cpSync, existsSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { writeWords } from '../src/shared/command/index.ts'
import { readInventory } from '../src/main/hosts/inventory/read-inventory.ts'
import { SESSION_SCRIPT } from '../src/main/hosts/doctor/script.ts'
import {
  createServers,
  isOwnFolder,
  listKeptFolders,
  makeOwnFolder,
  removeOwnFolder,
  resolveBaseFolder,
} from '../src/main/servers/index.ts'
import { createSshConnector, type HostLink, type SshConnector } from '../src/main/ssh/index.ts'
import { findBroughtNode } from '../src/main/sweep/bring-node.ts'
import { type Account, accountsMissing, createAccount } from './accounts.ts'
import { sshdMissing, startSshd, type TestSshd } from './sshd.ts'

// The other account does what it does with its own rights, in the real /tmp; ours is looked after over a real sshd.
const missing = accountsMissing() ?? sshdMissing()
const fixtures = resolve(import.meta.dirname, '../src/main/servers/fixtures')
const title = `another account on the host${missing === undefined ? '' : ` (not tried: ${missing})`}`

describe.skipIf(missing !== undefined)(title, () => {
  let ours: Account
  let theirs: Account
  let sshd: TestSshd
  let connector: SshConnector
  let link: HostLink
  let proof: string
  const servers = () =>
    createServers({
      connect: () => Promise.resolve(link),
      inventory: () => Promise.reject(new Error('not needed')),
      pollMs: 100,
      stopTimes: { leaderGraceMs: 5_000, restGraceMs: 2_000, pollMs: 50 },
    })

  beforeAll(async () => {
    ours = createAccount()
    theirs = createAccount()
    sshd = await startSshd({ home: ours.home })
    // sshd reads it with the rights of the account.
    chmodSync(sshd.folder, 0o711)
    chmodSync(join(sshd.folder, 'authorized_keys'), 0o644)
    connector = createSshConnector({
      homeDir: sshd.folder,
      ownKnownHostsPath: join(sshd.folder, 'known_hosts'),
      systemConfigPath: join(sshd.folder, 'none'),
      env: {},
      prompter: { secret: () => Promise.resolve(undefined), trustHostKey: () => Promise.resolve(true) },
    })
    link = await connector.connect({
      name: 'lab',
      address: '127.0.0.1',
      port: sshd.port,
      user: ours.name,
      identityFile: sshd.clientKeyPath,
      demo: false,
      addedAt: '2026-03-01T10:00:00.000Z',
    })
    for (const file of ['fake-vllm', 'fake-server.mjs']) cpSync(join(fixtures, file), join(ours.home, file))
  })
  afterAll(async () => {
    await connector?.dispose()
    await sshd?.stop()
    await ours?.remove()
    await theirs?.remove()
  })
  beforeEach(() => {
    proof = `/tmp/${theirs.name}-proof`
    theirs.sh('rm -rf "/tmp/$1-proof"; mkdir -m 777 "/tmp/$1-proof"', theirs.name)
  })
  afterEach(() => {
    ours.sh('rm -rf ~/.cache')
    theirs.sh('rm -rf /tmp/speedgrid-*-of-theirs "/tmp/speedgrid-$1" "/tmp/$2-proof"', String(ours.uid), theirs.name)
  })
  /** What an earlier version would have taken for ours. */
  const former = () => `/tmp/speedgrid-${String(ours.uid)}`

  it('is who the host says', async () => {
    expect((await link.exec(['id', '-u'])).stdout.trim()).toBe(String(ours.uid))
  })

  it('has a program started in our name by nothing that looks at the host', async () => {
    theirs.sh(
      'mkdir -p "$1/node/99.9.9-x64"; printf "#!/bin/sh\\nid -u > $2/ran; echo v99.9.9\\n" > "$1/node/99.9.9-x64/node"; chmod -R 777 "$1"',
      former(),
      proof,
    )
    const { inventory, nodes } = await readInventory(link)
    await link.script(SESSION_SCRIPT)
    await listKeptFolders(link)
    expect(inventory.node?.path ?? '').not.toContain('/tmp/')
    expect(nodes.map(({ path }) => path)).not.toContain(`${former()}/node/99.9.9-x64/node`)
    // Not even a Node of the very checksum we know: it may be another one by the time it is started.
    const path = `${former()}/node/99.9.9-x64/node`
    const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex')
    expect(await findBroughtNode(link, path, sha256)).toBeUndefined()
    expect(existsSync(join(proof, 'ran'))).toBe(false)
    // In a folder of ours it is the right one, and only as it was sent.
    const own = `${ours.home}/.cache/speedgrid/node/99.9.9-x64`
    ours.sh(
      'umask 077; mkdir -p "$1"; printf "#!/bin/sh\\necho v99.9.9\\n" > "$1/node"; chmod 700 "$1/node"; chmod 755 ~/.cache',
      own,
    )
    const sent = createHash('sha256')
      .update(readFileSync(`${own}/node`))
      .digest('hex')
    expect(await findBroughtNode(link, `${own}/node`, sent)).toBe('v99.9.9')
    expect(await findBroughtNode(link, `${own}/node`, sha256)).toBeUndefined()
  })

  it('has no folder of ours, whatever it makes first', async () => {
    ours.sh(': > ~/.cache')
    theirs.sh(
      'mkdir -m 777 "$1"; mkdir -m 777 /tmp/speedgrid-0-of-theirs; : > /tmp/speedgrid-0-of-theirs/.speedgrid-base',
      former(),
    )
    const { path } = await resolveBaseFolder(link)
    expect(path).toMatch(/^\/tmp\/speedgrid-[0-9a-f-]{36}$/)
    expect(lstatSync(path).uid).toBe(ours.uid)
    expect(lstatSync(path).mode & 0o777).toBe(0o700)
    expect((await resolveBaseFolder(link)).path).toBe(path)
    // Emptied by a restart, and taken by the other account before we come back.
    const run = `${path}/runs/abc`
    await makeOwnFolder(link, run)
    rmSync(path, { recursive: true })
    theirs.sh('mkdir -p "$1"; chmod -R 777 "${1%/*/*}"', run)
    await expect(isOwnFolder(link, run)).rejects.toMatchObject({ code: 'conflict' })
    await expect(makeOwnFolder(link, `${path}/runs/def`)).rejects.toMatchObject({ code: 'remote' })
    await expect(removeOwnFolder(link, run)).rejects.toMatchObject({ code: 'remote' })
    expect(existsSync(run)).toBe(true)
    theirs.sh('rm -rf "$1"', path)
  })

  it('can’t make us remove our user’s files', async () => {
    ours.sh('mkdir -m 700 ~/thesis; : > ~/thesis/chapter')
    theirs.sh('mkdir -m 755 "$1"; ln -s "$2" "$1/node"', former(), ours.home)
    expect(await listKeptFolders(link)).toEqual([])
    await expect(removeOwnFolder(link, `${former()}/node/thesis`)).rejects.toMatchObject({ code: 'remote' })
    // Nor by a folder of ours that it could write into once.
    ours.sh('mkdir -p -m 777 ~/.cache/speedgrid; chmod 777 ~/.cache/speedgrid; chmod 755 ~ ~/.cache')
    theirs.sh('ln -s "$1" "$1/.cache/speedgrid/node"', ours.home)
    expect(await listKeptFolders(link)).toEqual([])
    ours.sh('chmod 700 ~/.cache/speedgrid')
    expect(await listKeptFolders(link)).toEqual([])
    await expect(removeOwnFolder(link, `${ours.home}/.cache/speedgrid/node/thesis`)).rejects.toMatchObject({ code: 'remote' })
    expect(existsSync(join(ours.home, 'thesis/chapter'))).toBe(true)
  })

  /** A process of our account that is none of ours to touch, and the state file that says otherwise. */
  async function bystander(port: number, folder: string) {
    const child = ours.start('export VLLM_API_KEY=sk-of-another-program; exec setsid sleep 600')
    await until(() => readFileSync(`/proc/${String(child.pid)}/cmdline`, 'utf8').startsWith('sleep'))
    const pid = child.pid ?? 0
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    const identity = {
      hostName: readFileSync('/proc/sys/kernel/hostname', 'utf8').trim(),
      bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
      pid,
      session: Number(stat[3]),
      startTicks: stat[19] ?? '',
    }
    const server = {
      id: 'srv-forged01',
      host: 'lab',
      port,
      folder,
      adopted: false,
      hasApiKey: true,
      identity,
      startedAt: new Date().toISOString(),
    }
    const alive = () => existsSync(`/proc/${String(pid)}`)
    return {
      server,
      text: JSON.stringify({ schema: 'speedgrid.server/1', server, addedFlags: [] }),
      alive,
      end: () => child.kill(),
    }
  }

  it('can’t make us tell a key, end a process or remove a folder by a forged state file', async () => {
    ours.sh('mkdir -p ~/.cache/speedgrid; chmod 755 ~ ~/.cache; chmod 777 ~/.cache/speedgrid')
    const folder = `${ours.home}/.cache/speedgrid/servers/srv-forged01`
    const forged = await bystander(9, folder)
    writeFileSync(join(proof, 'server.json'), forged.text, { mode: 0o644 })
    theirs.sh(
      'mkdir -p "$1/servers/srv-forged01"; cp "$1/server.json" "$1/servers/srv-forged01"; chmod -R 755 "$1/servers"; ln -s "$1/servers" "$2"',
      proof,
      `${ours.home}/.cache/speedgrid/servers`,
    )
    expect(await servers().list('lab')).toEqual([])
    await expect(servers().stop('lab', 'srv-forged01')).rejects.toMatchObject({ code: 'not_found' })
    // Even where nobody can write there any more.
    ours.sh('chmod 700 ~/.cache/speedgrid')
    expect(await servers().list('lab')).toEqual([])
    // And a state file of our own making proves nothing about a process without our mark.
    ours.sh('rm ~/.cache/speedgrid/servers; mkdir -p -m 700 ~/.cache/speedgrid/servers; mkdir -m 700 "$1"', folder)
    await link.files.write(`${folder}/server.json`, forged.text, 0o600)
    expect(await servers().list('lab')).toMatchObject([
      { state: 'gone', evidence: expect.stringContaining('does not carry our mark') as string },
    ])
    expect(await servers().apiKey(forged.server)).toBeUndefined()
    expect(await servers().stop('lab', 'srv-forged01')).toMatchObject({ signalled: [], left: [] })
    expect(forged.alive()).toBe(true)
    forged.end()
  })

  /** A server of the other account that takes every key it is given; what came in Authorization, a line each. */
  async function trap(port: number, host: string) {
    const script = `
      const { appendFileSync } = require('node:fs')
      const [, file, port, host] = process.argv
      require('node:http').createServer((request, response) => {
        appendFileSync(file, (request.headers.authorization ?? 'none') + '\\n')
        response.end(JSON.stringify({ object: 'list', data: [{ id: 'm' }] }))
      }).listen(Number(port), host, () => appendFileSync(file, 'listening\\n'))`
    const file = join(proof, `heard-${String(port)}`)
    const child = theirs.start('exec "$@"', process.execPath, '-e', script, file, String(port), host)
    await until(() => existsSync(file) && readFileSync(file, 'utf8').includes('listening'))
    return {
      keys: () =>
        readFileSync(file, 'utf8')
          .split('\n')
          .filter((line) => line.startsWith('Bearer')),
      end: () => child.kill(),
    }
  }

  it.each(['127.0.0.1', '0.0.0.0', '::'])('gets no key by listening on %s where our server will', async (address) => {
    const port = await freePort()
    const engine = servers()
    const words = [
      `FAKE_NODE=${process.execPath}`,
      `FAKE_SERVER=${ours.home}/fake-server.mjs`,
      'FAKE_MODE=slow',
      `${ours.home}/fake-vllm`,
      'serve',
      'm',
      '--port',
      String(port),
    ]
    let id = ''
    const launch = engine.launch({ host: 'lab', text: writeWords(words) }, (event) => {
      if (event.kind === 'started') id = event.server.id
    })
    launch.catch(() => undefined)
    await until(() => id !== '')
    const heard = await trap(port, address)
    const who = new RegExp(`port ${String(port)} .*uid ${String(theirs.uid)} \\(${theirs.name}\\), not by`)
    const outcome = await launch
    expect(outcome).toMatchObject({ state: 'failed' })
    expect(outcome.error?.evidence.join('\n')).toMatch(who)

    // A server that is there already, whose port another one has taken meanwhile.
    const base = await resolveBaseFolder(link)
    const again = await engine.launch({
      host: 'lab',
      text: writeWords(
        words.map((word) => word.replace('FAKE_MODE=slow', 'FAKE_MODE=ready').replace(String(port), String(port + 1))),
      ),
    })
    expect(again.state).toBe('ready')
    const moved = { ...again.server, port }
    const state = { schema: 'speedgrid.server/1', server: moved, addedFlags: [], readyAt: new Date().toISOString() }
    await link.files.write(`${base.path}/servers/${moved.id}/server.json`, JSON.stringify(state), 0o600)
    const status = await engine.find('lab', moved.id)
    expect(status).toMatchObject({ state: 'failed', evidence: expect.stringMatching(who) as string })
    await expect(engine.apiKey(moved)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(`uid ${String(theirs.uid)}`) as string,
    })
    await expect(servers().apiKey(moved)).rejects.toMatchObject({ code: 'conflict' })
    await expect(engine.confirmListener(moved)).rejects.toMatchObject({ code: 'conflict' })
    await expect(engine.apiKey(again.server)).resolves.toMatch(/^[0-9a-f]{64}$/)
    expect(await engine.stop('lab', moved.id)).toMatchObject({ stopped: true })
    expect(heard.keys()).toEqual([])
    heard.end()
  })

  it('gets no key by being adopted, unless the person names it', async () => {
    const port = await freePort()
    const heard = await trap(port, '127.0.0.1')
    const engine = servers()
    await expect(engine.adopt('lab', port, { apiKey: 'sk-for-somebody' })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(`uid ${String(theirs.uid)} (${theirs.name})`) as string,
    })
    expect(heard.keys()).toEqual([])
    const adopted = await engine.adopt('lab', port, { apiKey: 'sk-for-somebody', user: theirs.name })
    expect(adopted.listenerUid).toBe(theirs.uid)
    expect(heard.keys()).toEqual(['Bearer sk-for-somebody'])
    expect(await engine.apiKey(adopted)).toBe('sk-for-somebody')
    await expect(engine.apiKey({ ...adopted, listenerUid: ours.uid })).rejects.toMatchObject({ code: 'conflict' })
    heard.end()
    await until(async () => (await engine.list('lab')).every(({ state }) => state === 'gone'))
    await expect(engine.apiKey(adopted)).rejects.toMatchObject({ code: 'server_gone' })
  })
})

async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  for (let round = 0; round < 600; round += 1) {
    if (await check()) return
    await new Promise((done) => setTimeout(done, 50))
  }
  throw new Error('never happened')
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => done(port))
    })
  })
}
