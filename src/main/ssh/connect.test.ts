import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sshdMissing, startSshd, type TestSshd } from '../../../test/sshd.ts'
import type { Host } from '../../shared/model/host.ts'
import { createSshConnector, type HostLink, type SshConnector } from './index.ts'
import { FAST, hostAt, scriptedPrompter, temporaryHome } from './test-support.ts'
import type { Prompter } from './types.ts'

let place: ReturnType<typeof temporaryHome>
let connectors: SshConnector[] = []

function connectorWith(prompter: Prompter = scriptedPrompter(), env: Record<string, string | undefined> = {}): SshConnector {
  const connector = createSshConnector({
    homeDir: place.home,
    ownKnownHostsPath: place.ownKnownHostsPath,
    systemConfigPath: join(place.home, 'none'),
    prompter,
    env,
    limits: { ...FAST, dialTimeoutMs: 5000, stepTimeoutMs: 8000 },
  })
  connectors.push(connector)
  return connector
}
const knows = (sshd: TestSshd, line = sshd.hostKeyLine) => `[127.0.0.1]:${sshd.port} ${line}\n`
const works = async (link: HostLink) => expect((await link.exec(['echo', 'ok'])).stdout).toBe('ok\n')

beforeEach(() => {
  place = temporaryHome()
})
afterEach(async () => {
  for (const connector of connectors) await connector.dispose()
  connectors = []
  place.remove()
})

describe.skipIf(sshdMissing())('connecting to a real sshd', () => {
  let sshd: TestSshd
  let other: TestSshd
  beforeAll(async () => {
    ;[sshd, other] = await Promise.all([startSshd(), startSshd({ hostKeyType: 'ecdsa', clientKeyPassphrase: 'open sesame' })])
  })
  afterAll(() => Promise.all([sshd?.stop(), other?.stop()]))

  describe('host keys', () => {
    it('refuses an unknown key where nobody can be asked, and says how to trust it', async () => {
      const failure = connectorWith().connect(hostAt(sshd))
      await expect(failure).rejects.toMatchObject({
        code: 'host_key_unknown',
        nextStep: expect.stringContaining('speedgrid hosts trust lab'),
      })
      await expect(failure).rejects.toMatchObject({ evidence: [expect.stringContaining(sshd.hostKeyFingerprint)] })
      expect(existsSync(place.ownKnownHostsPath)).toBe(false)
    })

    it('asks once, records the answer in our own file only, and does not ask again', async () => {
      const prompter = scriptedPrompter({ trust: true })
      await works(await connectorWith(prompter).connect(hostAt(sshd)))
      await works(await connectorWith(prompter).connect(hostAt(sshd)))
      expect(prompter.asked).toEqual([`trust ${sshd.user}@127.0.0.1:${sshd.port} ${sshd.hostKeyFingerprint}`])
      expect(readFileSync(place.ownKnownHostsPath, 'utf8')).toBe(knows(sshd))
      expect(existsSync(join(place.home, '.ssh/known_hosts'))).toBe(false)
    })

    it('does not connect when the person says no, or the configuration wants strictness', async () => {
      await expect(connectorWith(scriptedPrompter({ trust: false })).connect(hostAt(sshd))).rejects.toMatchObject({
        code: 'host_key_unknown',
      })
      place.writeConfig('StrictHostKeyChecking yes\n')
      const prompter = scriptedPrompter({ trust: true })
      await expect(connectorWith(prompter).connect(hostAt(sshd))).rejects.toMatchObject({ code: 'host_key_unknown' })
      expect(prompter.asked).toEqual([])
    })

    it('refuses a changed and a revoked key without a question, showing both fingerprints', async () => {
      const prompter = scriptedPrompter({ trust: true })
      const otherEd = execFileSync('ssh-keygen', ['-y', '-f', sshd.clientKeyPath])
        .toString()
        .split(' ')
        .slice(0, 2)
        .join(' ')
        .trim()
      const otherPrint = execFileSync('ssh-keygen', ['-lf', `${sshd.clientKeyPath}.pub`])
        .toString()
        .split(' ')[1]
      place.writeKnownHosts(knows(sshd, otherEd))
      const changed = connectorWith(prompter).connect(hostAt(sshd))
      await expect(changed).rejects.toMatchObject({ code: 'host_key_changed' })
      const { evidence } = (await changed.catch((error: unknown) => error)) as { evidence: string[] }
      expect(evidence.join('\n')).toContain(sshd.hostKeyFingerprint)
      expect(evidence.join('\n')).toContain(otherPrint)
      place.writeKnownHosts(`@revoked * ${sshd.hostKeyLine}\n${knows(sshd)}`)
      await expect(connectorWith(prompter).connect(hostAt(sshd))).rejects.toMatchObject({
        code: 'host_key_changed',
        message: expect.stringContaining('revoked'),
      })
      expect(prompter.asked).toEqual([])
    })

    it('counts a host known under another key type as changed', async () => {
      place.writeKnownHosts(knows(sshd, other.hostKeyLine))
      await expect(connectorWith(scriptedPrompter({ trust: true })).connect(hostAt(sshd))).rejects.toMatchObject({
        code: 'host_key_changed',
      })
    })

    it('asks a host with several keys for the one that is recorded', async () => {
      const several = await startSshd({ config: [`HostKey ${join(other.folder, 'host_key')}`] })
      try {
        place.writeKnownHosts(knows(several, other.hostKeyLine))
        await works(await connectorWith().connect(hostAt(several)))
        place.writeKnownHosts(knows(several))
        await works(await connectorWith().connect(hostAt(several)))
      } finally {
        await several.stop()
      }
    })

    it('finds hashed names', async () => {
      place.writeKnownHosts(knows(sshd))
      execFileSync('ssh-keygen', ['-q', '-H', '-f', join(place.home, '.ssh/known_hosts')], { stdio: 'ignore' })
      await works(await connectorWith().connect(hostAt(sshd)))
    })

    it('reads the key without authenticating, and trusts only what was confirmed', async () => {
      const connector = connectorWith()
      const host = hostAt(sshd, { identityFile: undefined })
      const report = await connector.readHostKey(host)
      expect(report).toEqual({
        hop: `${sshd.user}@127.0.0.1:${sshd.port}`,
        keyType: 'ssh-ed25519',
        fingerprint: sshd.hostKeyFingerprint,
        state: 'unknown',
        knownFingerprints: [],
      })
      await expect(connector.trust(host, 'SHA256:somethingelse')).rejects.toMatchObject({ code: 'host_key_changed' })
      expect(existsSync(place.ownKnownHostsPath)).toBe(false)
      await connector.trust(host, report.fingerprint)
      expect((await connector.readHostKey(host)).state).toBe('known')
      await works(await connector.connect(hostAt(sshd)))
    })

    it('gives up a link whose host comes back with another key, and lets it be trusted by fingerprint', async () => {
      const first = await startSshd()
      const connector = connectorWith(scriptedPrompter({ trust: true }))
      const link = await connector.connect(hostAt(first))
      const states: string[] = []
      link.onStateChange(({ state }) => states.push(state))
      await first.stop()
      const second = await startSshd({ port: first.port })
      try {
        await expect(link.exec(['true'])).rejects.toMatchObject({ code: 'link_lost' })
        expect(states).toEqual(['reconnecting', 'closed'])
        const report = await connector.readHostKey(hostAt(second))
        expect(report).toMatchObject({
          state: 'changed',
          fingerprint: second.hostKeyFingerprint,
          knownFingerprints: [first.hostKeyFingerprint],
        })
        await connector.trust(hostAt(second), second.hostKeyFingerprint)
        await works(await connector.connect(hostAt(second)))
        expect(readFileSync(place.ownKnownHostsPath, 'utf8')).toBe(knows(second))
      } finally {
        await second.stop()
      }
    })
  })

  describe('keys', () => {
    beforeEach(() => place.writeKnownHosts(knows(sshd) + knows(other)))

    it('says what was offered and tried when a key is wrong', async () => {
      const failure = connectorWith().connect(hostAt(sshd, { identityFile: join(place.home, 'wrong') }))
      await expect(failure).rejects.toMatchObject({ code: 'auth' })
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(place.home, 'wrong')])
      const { evidence, cause } = await connectorWith()
        .connect(hostAt(sshd, { identityFile: join(place.home, 'wrong') }))
        .then(
          () => Promise.reject(new Error('connected')),
          (error: unknown) => error as { evidence: string[]; cause: unknown },
        )
      expect(cause).toBeUndefined()
      expect(evidence).toEqual([
        `phase: authentication at ${sshd.user}@127.0.0.1:${sshd.port}`,
        'offered by the host: publickey',
        `tried: publickey ${join(place.home, 'wrong')}`,
      ])
    })

    it('asks for the passphrase of a key that the host would take, naming key and hop; three times', async () => {
      const prompter = scriptedPrompter({ secrets: ['wrong', 'open sesame'] })
      const connector = connectorWith(prompter)
      const link = await connector.connect(hostAt(other))
      await works(link)
      expect(prompter.asked).toEqual([
        `Passphrase for the key ${other.clientKeyPath}, for ${other.user}@127.0.0.1:${other.port}: `,
        `That was not it. Passphrase for the key ${other.clientKeyPath}, for ${other.user}@127.0.0.1:${other.port}: `,
      ])
      // Reconnects and data connections need no second question.
      other.cutConnections()
      await works(link)
      expect(prompter.asked).toHaveLength(2)

      const clumsy = scriptedPrompter({ secrets: ['a', 'b', 'c', 'd'] })
      const failure = await connectorWith(clumsy)
        .connect(hostAt(other))
        .catch((error: unknown) => error)
      expect(failure).toMatchObject({ code: 'auth' })
      expect(clumsy.asked).toHaveLength(3)
      expect(JSON.stringify(failure)).not.toContain('sesame')
    })

    it('does not ask for the passphrase of a key that the host would not take', async () => {
      const prompter = scriptedPrompter({ secrets: ['open sesame'] })
      const host = hostAt(sshd, { identityFile: other.clientKeyPath })
      await expect(connectorWith(prompter).connect(host)).rejects.toMatchObject({ code: 'auth' })
      expect(prompter.asked).toEqual([])
    })

    it('uses the keys of ~/.ssh by default, and an RSA key without SHA-1', async () => {
      const path = join(place.home, '.ssh/id_rsa')
      execFileSync('ssh-keygen', ['-q', '-t', 'rsa', '-b', '2048', '-N', '', '-f', path])
      const rsa = await startSshd({ hostKeyType: 'rsa' })
      try {
        writeFileSync(join(rsa.folder, 'authorized_keys'), readFileSync(`${path}.pub`))
        place.writeKnownHosts(knows(rsa))
        await works(await connectorWith().connect(hostAt(rsa, { identityFile: undefined })))
      } finally {
        await rsa.stop()
      }
    })

    it('asks the agent first, and only for the named key where IdentitiesOnly says so', async () => {
      const socket = join(place.home, 'agent')
      const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' })
      try {
        await expect.poll(() => existsSync(socket), { timeout: 10_000 }).toBe(true)
        const env = { SSH_AUTH_SOCK: socket }
        execFileSync('ssh-add', ['-q', sshd.clientKeyPath], { env: { ...process.env, ...env }, stdio: 'ignore' })
        await works(await connectorWith(scriptedPrompter(), env).connect(hostAt(sshd, { identityFile: undefined })))
        place.writeConfig('IdentitiesOnly yes\nIdentityFile ~/.ssh/absent\n')
        const failure = connectorWith(scriptedPrompter(), env).connect(hostAt(sshd, { identityFile: undefined }))
        await expect(failure).rejects.toMatchObject({ code: 'auth' })
        // The public half beside no private one: the agent has that.
        writeFileSync(join(place.home, '.ssh/absent.pub'), readFileSync(`${sshd.clientKeyPath}.pub`))
        await works(await connectorWith(scriptedPrompter(), env).connect(hostAt(sshd, { identityFile: undefined })))
      } finally {
        const ended = new Promise((resolve) => agent.once('exit', resolve))
        agent.kill()
        await ended
      }
    })

    it('goes on with a key file when the agent is gone', async () => {
      await works(await connectorWith(scriptedPrompter(), { SSH_AUTH_SOCK: join(place.home, 'no-agent') }).connect(hostAt(sshd)))
    })
  })

  describe('through a jump host', () => {
    const throughJump = (): Host => hostAt(sshd, { identityFile: undefined, address: 'target', user: undefined, port: undefined })
    beforeEach(() => {
      place.writeConfig(`
Host target
  HostName 127.0.0.1
  Port ${sshd.port}
  User ${sshd.user}
  IdentityFile ${sshd.clientKeyPath}
  ProxyJump jump
Host jump
  HostName 127.0.0.1
  Port ${other.port}
  User ${other.user}
  IdentityFile ${other.clientKeyPath}
`)
    })

    it('verifies and authenticates at every hop, and carries commands, files and reconnects', async () => {
      place.writeKnownHosts(knows(sshd) + knows(other))
      const prompter = scriptedPrompter({ secrets: ['open sesame'] })
      const link = await connectorWith(prompter).connect(throughJump())
      await works(link)
      expect(prompter.asked).toEqual([expect.stringContaining(`(hop 1 of 2)`)])
      expect(other.cutConnections()).toBeGreaterThan(0)
      await works(link)
      expect((await link.files.stat('/'))?.isDirectory).toBe(true)
    })

    it('comes back when only the connection behind the jump host was cut', async () => {
      place.writeKnownHosts(knows(sshd) + knows(other))
      const prompter = scriptedPrompter({ secrets: ['open sesame', 'open sesame'] })
      const link = await connectorWith(prompter).connect(throughJump())
      const states: string[] = []
      link.onStateChange(({ state }) => states.push(state))
      const cutOff = link.exec(['sleep', '60'])
      cutOff.catch(() => undefined)
      await works(link)
      expect(sshd.cutConnections()).toBeGreaterThan(0)
      await expect(cutOff).rejects.toMatchObject({ code: 'link_lost' })
      await works(link)
      expect(states).toEqual(['reconnecting', 'connected'])
    })

    it('stops at the hop whose key is unknown, before any secret is asked for', async () => {
      place.writeKnownHosts(knows(sshd))
      const prompter = scriptedPrompter({ secrets: ['open sesame'] })
      const failure = connectorWith(prompter).connect(throughJump())
      await expect(failure).rejects.toMatchObject({ code: 'host_key_unknown', message: expect.stringContaining('hop 1 of 2') })
      expect(prompter.asked.filter((question) => !question.startsWith('trust'))).toEqual([])
      place.writeKnownHosts(knows(other))
      const second = connectorWith(scriptedPrompter({ secrets: ['open sesame'] })).connect(throughJump())
      await expect(second).rejects.toMatchObject({ code: 'host_key_unknown', message: expect.stringContaining('hop 2 of 2') })
    })

    it('reads and trusts hop by hop', async () => {
      const connector = connectorWith(scriptedPrompter({ secrets: ['open sesame'] }))
      const first = await connector.readHostKey(throughJump())
      expect(first).toMatchObject({
        state: 'unknown',
        fingerprint: other.hostKeyFingerprint,
        hop: expect.stringContaining('hop 1 of 2'),
      })
      await connector.trust(throughJump(), first.fingerprint)
      const second = await connector.readHostKey(throughJump())
      expect(second).toMatchObject({
        state: 'unknown',
        fingerprint: sshd.hostKeyFingerprint,
        hop: expect.stringContaining('hop 2 of 2'),
      })
      await connector.trust(throughJump(), second.fingerprint)
      await works(await connector.connect(throughJump()))
    })

    it('names the hop that cannot be reached from the one before', async () => {
      place.writeKnownHosts(knows(other))
      const connector = connectorWith(scriptedPrompter({ secrets: ['open sesame'] }))
      const failure = connector.connect({ ...throughJump(), port: 1 })
      await expect(failure).rejects.toMatchObject({ code: 'unreachable', message: expect.stringContaining('hop 2 of 2') })
    })
  })
})

describe('a host that cannot be reached', () => {
  const at = (address: string, port: number) => hostAt({ port, user: 'me', clientKeyPath: '/none' }, { address })
  let silent: Server
  let port: number
  beforeAll(async () => {
    silent = createServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    port = (silent.address() as { port: number }).port
  })
  afterAll(() => void silent.close())

  it('says whether it is the name, the port or the silence', async () => {
    await expect(connectorWith().connect(at('no-such-host.invalid', 22))).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/resolved/),
      evidence: [expect.stringContaining('name lookup'), expect.anything()],
    })
    await expect(connectorWith().connect(at('127.0.0.1', 1))).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/refuses/),
    })
    const quiet = createSshConnector({
      homeDir: place.home,
      ownKnownHostsPath: place.ownKnownHostsPath,
      prompter: scriptedPrompter(),
      env: {},
      limits: { stepTimeoutMs: 200 },
    })
    await expect(quiet.connect(at('127.0.0.1', port))).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/does not answer/),
      evidence: ['phase: handshake', expect.anything()],
    })
    await expect(quiet.readHostKey(at('127.0.0.1', port))).rejects.toMatchObject({ code: 'unreachable' })
    await quiet.dispose()
  })
})
