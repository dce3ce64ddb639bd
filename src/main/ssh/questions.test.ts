import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sshdMissing, startSshd, type TestSshd, type TestSshdOptions } from '../../../test/sshd.ts'
import { createSshConnector, type SshConnector } from './index.ts'
import { FAST, hostAt, temporaryHome } from './test-support.ts'
import type { Prompter } from './types.ts'

/** A question that stands until the test answers it, also when its connection is long gone. */
interface Standing {
  text: string
  signal: AbortSignal | undefined
  answer(value: unknown): void
}

function slowPerson(trust?: boolean) {
  const standing: Standing[] = []
  const stand = (text: string, signal: AbortSignal | undefined) =>
    new Promise<never>((resolve) => standing.push({ text, signal, answer: (value) => resolve(value as never) }))
  const prompter: Prompter = {
    secret: (text, options) => stand(text, options?.signal),
    trustHostKey: (question, options) =>
      trust === undefined ? stand(`trust ${question.fingerprint}`, options?.signal) : Promise.resolve(trust),
  }
  const question = async (index = 0): Promise<Standing> => {
    await expect.poll(() => standing.length, { timeout: 20_000 }).toBeGreaterThan(index)
    return standing[index] as Standing
  }
  return { prompter, standing, question }
}

// What throws where nobody catches it fails the whole test run: that is half of what these tests are for.
describe.skipIf(sshdMissing())('a question whose connection is gone', () => {
  let place: ReturnType<typeof temporaryHome>
  let connector: SshConnector | undefined
  let servers: TestSshd[] = []
  const server = async (options?: TestSshdOptions) => {
    const started = await startSshd(options)
    servers.push(started)
    return started
  }
  const connectorWith = (prompter: Prompter) => {
    connector = createSshConnector({
      homeDir: place.home,
      ownKnownHostsPath: place.ownKnownHostsPath,
      systemConfigPath: join(place.home, 'none'),
      prompter,
      env: {},
      limits: FAST,
    })
    return connector
  }
  beforeEach(() => {
    place = temporaryHome()
  })
  afterEach(async () => {
    await connector?.dispose()
    for (const started of servers) await started.stop()
    servers = []
    place.remove()
  })

  for (const late of [false, true]) {
    it(`is taken away when sshd's patience ends; ${late ? '“trust”' : '“no”'} afterwards does nothing`, async () => {
      const sshd = await server({ config: ['LoginGraceTime 1'] })
      const { prompter, question } = slowPerson()
      const connecting = connectorWith(prompter).connect(hostAt(sshd))
      const refused = expect(connecting).rejects.toMatchObject({
        code: 'unreachable',
        message: expect.stringContaining('while a question was waiting'),
        nextStep: expect.stringContaining('speedgrid hosts trust lab'),
      })
      const asked = await question()
      await refused
      expect(asked.signal?.aborted).toBe(true)
      expect(asked.signal?.reason).toMatchObject({ message: expect.stringContaining('while a question was waiting') })
      asked.answer(late)
      await delay(50)
      expect(existsSync(place.ownKnownHostsPath)).toBe(false)
    })
  }

  it('is taken away when the server dies, and the next question is asked', async () => {
    const [first, second] = [await server(), await server()]
    const { prompter, question, standing } = slowPerson()
    const ssh = connectorWith(prompter)
    const dying = ssh.connect(hostAt(first))
    const refused = expect(dying).rejects.toMatchObject({ code: 'unreachable' })
    const one = await question(0)
    const living = ssh.connect(hostAt(second, { name: 'second' }))
    expect(standing).toHaveLength(1)
    first.cutConnections()
    await refused
    const two = await question(1)
    one.answer(false)
    two.answer(true)
    const link = await living
    expect((await link.exec(['echo', 'ok'])).stdout).toBe('ok\n')
  })

  it('is never asked when the connection ended while another question stood', async () => {
    const [first, second] = [await server(), await server()]
    const { prompter, question, standing } = slowPerson()
    const ssh = connectorWith(prompter)
    const living = ssh.connect(hostAt(first))
    const one = await question(0)
    const dying = ssh.connect(hostAt(second, { name: 'second' }))
    const refused = expect(dying).rejects.toMatchObject({ code: 'unreachable' })
    await expect.poll(() => second.cutConnections(), { timeout: 20_000 }).toBeGreaterThan(0)
    await refused
    one.answer(true)
    expect((await (await living).exec(['echo', 'ok'])).stdout).toBe('ok\n')
    expect(standing).toHaveLength(1)
  })

  it('a passphrase that comes late is not kept, and breaks nothing', async () => {
    const sshd = await server({ clientKeyPassphrase: 'open sesame' })
    const { prompter, question } = slowPerson(true)
    const ssh = connectorWith(prompter)
    const connecting = ssh.connect(hostAt(sshd))
    const refused = expect(connecting).rejects.toMatchObject({ code: 'unreachable' })
    const asked = await question(0)
    expect(asked.text).toContain('Passphrase')
    sshd.cutConnections()
    await refused
    asked.answer('open sesame')
    await delay(50)
    const again = ssh.connect(hostAt(sshd))
    const more = await question(1)
    more.answer('open sesame')
    expect((await (await again).exec(['echo', 'ok'])).stdout).toBe('ok\n')
  })

  it('a password that comes late breaks nothing', async () => {
    const sshd = await server({ config: ['PasswordAuthentication yes', 'PermitRootLogin yes', 'PubkeyAuthentication no'] })
    const { prompter, question } = slowPerson(true)
    const connecting = connectorWith(prompter).connect(hostAt(sshd))
    const refused = expect(connecting).rejects.toMatchObject({ code: 'unreachable' })
    const asked = await question(0)
    expect(asked.text).toContain('Password for')
    sshd.cutConnections()
    await refused
    asked.answer('any')
    await delay(50)
  })

  it('behind a jump host: it goes with any of the machines on the way', async () => {
    const [jump, behind] = [await server(), await server()]

    place.writeKnownHosts(`[localhost]:${jump.port} ${jump.hostKeyLine}\n`)
    place.writeConfig(
      `Host jump\n  HostName localhost\n  Port ${jump.port}\n  User ${jump.user}\n  IdentityFile ${jump.clientKeyPath}\nHost 127.0.0.1\n  ProxyJump jump\n`,
    )
    const { prompter, question } = slowPerson()
    const connecting = connectorWith(prompter).connect(hostAt(behind))
    const refused = expect(connecting).rejects.toMatchObject({ code: 'unreachable' })
    const asked = await question(0)
    expect(asked.text).toContain(behind.hostKeyFingerprint)
    jump.cutConnections()
    await refused
    expect(asked.signal?.aborted).toBe(true)
    asked.answer(false)
    await delay(50)
  })
})
