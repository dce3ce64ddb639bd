import { readFile, stat } from 'node:fs/promises'
import net from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { writeWords } from '../../shared/command/index.ts'
import type { LaunchEvent } from './types.ts'
import { createTestHost, grepFolder, isAlive, processesWith, type TestHost } from './test-host.ts'

describe('launch', () => {
  let host: TestHost
  afterEach(() => host.dispose())

  it('starts a server in its own session and tells its phases and facts', async () => {
    host = await createTestHost()
    const events: LaunchEvent[] = []
    const outcome = await host.servers.launch(
      {
        host: 'lab',
        name: 'first',
        text: writeWords(['A=it\'s "b"', 'vllm', 'serve', '$HOME/models/tiny', '--max-num-seqs', '64']),
      },
      (event) => events.push(event),
    )
    expect(outcome.error).toBeUndefined()
    expect(outcome.state).toBe('ready')
    const { server } = outcome
    expect(outcome.phases.map(({ phase }) => phase)).toEqual(
      expect.arrayContaining(['import', 'args', 'config', 'engine', 'weights', 'kv_cache']),
    )
    expect(events.filter((event) => event.kind === 'phase' && event.phase === 'weights').at(-1)).toMatchObject({ progress: 1 })
    expect(events[0]).toMatchObject({ kind: 'started', server: { id: server.id } })
    expect(outcome.known).toMatchObject({
      version: '0.32.0',
      kvTokens: 6_291_456,
      kvTokensSource: 'startup_log',
      maxModelLen: 262_144,
      maxNumSeqs: 64,
      maxNumSeqsSource: 'argv',
      quantization: 'BF16',
      backend: 'cpu',
      speculative: false,
    })
    expect(server.launchCommand).toBe(`A='it'\\''s "b"' vllm serve $HOME/models/tiny --max-num-seqs 64`)
    expect(server.startedArgv).toEqual([
      host.vllm,
      'serve',
      `${host.home}/models/tiny`,
      '--max-num-seqs',
      '64',
      '--host',
      '127.0.0.1',
      '--port',
      String(server.port),
      '--enable-prompt-tokens-details',
      '--disable-uvicorn-access-log',
    ])
    expect(server.identity?.pid).toBe(server.identity?.session)
    const status = await host.servers.find('lab')
    expect(status).toMatchObject({ state: 'ready', health: 'ok', server: { id: server.id, name: 'first' } })
    const environ = await readFile(`/proc/${String(server.identity?.pid)}/environ`, 'utf8')
    expect(environ.split('\0')).toEqual(
      expect.arrayContaining(['A=it\'s "b"', 'NO_COLOR=1', 'SPT_NOENV=1', `SPEEDGRID_SERVER=${server.id}`]),
    )
    expect(environ).toContain(`PATH=${join(host.vllm, '..')}:`)
    const folder = server.folder ?? ''
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
    for (const file of ['server.json', 'start.sh', 'server.log', 'identity']) {
      expect((await stat(join(folder, file))).mode & 0o777, file).toBe(0o600)
    }
  })

  it('leaves the host’s own variables to the host, and takes the environment that the text chooses', async () => {
    host = await createTestHost({ env: { USER: "a'n n", LD_LIBRARY_PATH: '/host/lib' } })
    const text = [
      'CACHE=/srv/cache',
      'export LD_LIBRARY_PATH=/opt/x/lib:$LD_LIBRARY_PATH',
      "conda run -n vllm-0.32 vllm serve m --download-dir $CACHE/$USER --seed 1 --served-model-name '$USER' >log 2>&1 & echo $!",
    ].join('\n')
    const { server, state } = await host.servers.launch({ host: 'lab', text })
    expect(state).toBe('ready')
    const environment = (await readFile(`/proc/${String(server.identity?.pid)}/environ`, 'utf8')).split('\0')
    expect(environment).toContain('LD_LIBRARY_PATH=/opt/x/lib:/host/lib')
    expect(environment.join('\n')).not.toContain('CACHE=')
    const argv = (await readFile(`/proc/${String(server.identity?.pid)}/cmdline`, 'utf8')).split('\0').join(' ')
    expect(argv).toContain(`--download-dir /srv/cache/a'n n --seed 1 --served-model-name $USER`)
    expect(server.vllm).toBe(host.vllm)
    expect(server.launchCommand).toBe(
      `LD_LIBRARY_PATH=/opt/x/lib:\${LD_LIBRARY_PATH} vllm serve m --download-dir /srv/cache/\${USER} --seed 1 --served-model-name '$USER'`,
    )
  })

  it('keeps keys in the environment of the server’s own session and nowhere else', async () => {
    host = await createTestHost()
    const key = `our key with 'quotes' and $(touch x) \\n ${String(Math.random())}`
    const token = `hf_Token${String(Math.random()).slice(2)}`
    const words = [`HF_TOKEN=${token}`, 'vllm', 'serve', 'm', `--api-ke=${key}`, '--seed', '1']
    const { server, state } = await host.servers.launch({ host: 'lab', text: writeWords(words) })
    expect(state).toBe('ready')
    expect(server.launchCommand).toBe('HF_TOKEN=<redacted> vllm serve m --api-ke=<redacted> --seed 1')
    expect(server.environmentNames).toEqual(['HF_TOKEN', 'VLLM_API_KEY'])
    const other = await createReader(host)
    expect(await other.apiKey(server)).toBe(key)
    // vLLM takes these from its arguments only: they are seen there, and written down nowhere.
    const hidden = `Hid${String(Math.random()).slice(2)}`
    const second = await host.servers.launch({
      host: 'lab',
      text: writeWords([
        'vllm',
        'serve',
        'm',
        '--additional-config',
        `{"hub": {"accessToken": "${hidden}"}}`,
        `--base=s3://ID:se/${hidden}@b`,
      ]),
    })
    expect(second.state).toBe('ready')
    expect(second.server.launchCommand).toBe(
      `vllm serve m --additional-config '{"hub": {"accessToken": "<redacted>"}}' '--base=s3://<redacted>@b'`,
    )
    expect((await processesWith(hidden)).filter(({ inArgv }) => !inArgv)).toEqual([])
    expect(await grepFolder(host.home, hidden)).toEqual([])
    for (const secret of [key, token]) {
      const seen = await processesWith(secret)
      expect(seen.length).toBeGreaterThan(0)
      expect(seen.filter(({ inArgv }) => inArgv)).toEqual([])
      expect(seen.filter(({ session }) => session !== server.identity?.session)).toEqual([])
      expect(await grepFolder(host.home, secret)).toEqual([])
    }
  })

  it.each([
    ['no-model', [], /not found.*\/no\/such/, /HFValidationError/],
    ['ready', ['--flag-of-tomorrow', '3'], /--flag-of-tomorrow/, /unrecognized arguments/],
    ['no-kv', [], /no room for one request of 262144 tokens; about 69632/, /To serve at least one request/],
    ['port-in-use', [], /port is in use/, /Errno 98/],
    ['die-silently', [], /was killed/, /Initializing a V1 LLM engine/],
    ['other-key', [], /another key/, /401/],
  ])('tells why it failed: %s', async (mode, flags, cause, evidence) => {
    host = await createTestHost()
    const words = [`FAKE_MODE=${mode}`, host.vllm, 'serve', '/no/such', ...flags]
    const { state, error, server } = await host.servers.launch({ host: 'lab', text: writeWords(words) })
    expect(state).toBe('failed')
    expect(error?.code).toBe('server_failed')
    expect(error?.cause).toMatch(cause)
    expect(error?.evidence.join('\n')).toMatch(evidence)
    expect(error?.nextStep).not.toBe('')
    expect(await host.folders()).toEqual([])
    expect(await processesWith(server.id)).toEqual([])
  })

  it('gives up after the time-out and leaves nothing', async () => {
    host = await createTestHost()
    const words = ['FAKE_MODE=slow', 'vllm', 'serve', 'm']
    const { state, error, server } = await host.servers.launch({ host: 'lab', text: writeWords(words), timeoutMs: 600 })
    expect(state).toBe('failed')
    expect(error?.cause).toMatch(/not ready after 1 s/)
    expect(await processesWith(server.id)).toEqual([])
    expect(await host.folders()).toEqual([])
  })

  it('ends what it started when the person interrupts', async () => {
    host = await createTestHost()
    const abort = new AbortController()
    const launched = host.servers.launch(
      { host: 'lab', text: writeWords(['FAKE_MODE=slow', 'vllm', 'serve', 'm']), signal: abort.signal },
      (event) => {
        if (event.kind === 'phase') abort.abort()
      },
    )
    await expect(launched).rejects.toMatchObject({ code: 'interrupted' })
    expect(await processesWith(`${host.home}/.cache/speedgrid/servers`)).toEqual([])
    expect(await host.folders()).toEqual([])
  })

  it('refuses a port that somebody listens on, and says who', async () => {
    host = await createTestHost()
    const listener = net.createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => listener.once('listening', resolve))
    const { port } = listener.address() as net.AddressInfo
    const launched = host.servers.launch({ host: 'lab', text: writeWords(['vllm', 'serve', 'm', '--port', String(port)]) })
    await expect(launched).rejects.toMatchObject({
      code: 'server_failed',
      evidence: [expect.stringContaining(`process ${String(process.pid)}`)],
    })
    listener.close()
    expect(await host.folders()).toEqual([])
  })

  it('says so when there is no such executable or environment', async () => {
    host = await createTestHost()
    await expect(host.servers.launch({ host: 'lab', text: writeWords(['/no/vllm', 'serve', 'm']) })).rejects.toMatchObject({
      code: 'no_vllm',
    })
    const named = host.servers.launch({ host: 'lab', text: writeWords(['vllm', 'serve', 'm']), environment: 'vllm-9' })
    await expect(named).rejects.toMatchObject({ code: 'no_vllm', evidence: [expect.stringContaining('vllm-0.32')] })
  })

  it('finds a server again whose engine died before it could write the identity down', async () => {
    host = await createTestHost()
    const { server } = await host.servers.launch({ host: 'lab', text: writeWords(['vllm', 'serve', 'm']) })
    const path = join(server.folder ?? '', 'server.json')
    const state = JSON.parse(await readFile(path, 'utf8')) as { server: { identity?: unknown } }
    delete state.server.identity
    await host.link.files.write(path, JSON.stringify(state), 0o600)
    expect(await host.servers.find('lab')).toMatchObject({ state: 'ready', server: { identity: server.identity } })
    expect((await host.servers.stop('lab', server.id)).stopped).toBe(true)
    expect(isAlive(server.identity?.pid ?? 0)).toBe(false)
  })
})

/** A second engine: it knows no key of the first one's. */
async function createReader(host: TestHost) {
  const { createServers } = await import('./service.ts')
  return createServers({ connect: () => Promise.resolve(host.link), inventory: () => Promise.reject(new Error('not needed')) })
}
