import { generateKeyPairSync } from 'node:crypto'
import { join } from 'node:path'
import ssh2 from 'ssh2'
import type { AuthContext, Connection as ServerConnection, ServerChannel } from 'ssh2'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSshConnector, type SshConnector } from './index.ts'
import { FAST, hostAt, scriptedPrompter, temporaryHome } from './test-support.ts'
import type { Prompter } from './types.ts'

const HOST_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' })

interface FakeHost {
  port: number
  /** What arrived, in order: method, with the password where there is one. */
  requests: string[]
  clients: Set<ServerConnection>
  close(): void
}

/** An SSH server of this process whose answers a test decides. */
async function fakeHost(answer: (context: AuthContext) => void): Promise<FakeHost> {
  const requests: string[] = []
  const clients = new Set<ServerConnection>()
  const server = new ssh2.Server({ hostKeys: [HOST_KEY] }, (client) => {
    clients.add(client)
    client.on('error', () => undefined)
    client.on('close', () => clients.delete(client))
    client.on('authentication', (context) => {
      requests.push(context.method === 'password' ? `password ${context.password}` : context.method)
      answer(context)
    })
    client.on('session', (accept) => {
      accept().on('exec', (acceptExec) => {
        const channel: ServerChannel = acceptExec()
        channel.write('ok\n')
        channel.exit(0)
        channel.end()
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return { port, requests, clients, close: () => server.close() }
}

function asking(prompts: { prompt: string; echo: boolean }[], right: (answers: string[]) => boolean) {
  return (context: AuthContext) => {
    if (context.method !== 'keyboard-interactive') return context.reject(['keyboard-interactive'])
    context.prompt(prompts, 'Two steps', 'Please answer.', (answers) =>
      right(answers) ? context.accept() : context.reject(['keyboard-interactive']),
    )
  }
}

describe('authentication', () => {
  let place: ReturnType<typeof temporaryHome>
  let host: FakeHost | undefined
  let connectors: SshConnector[] = []
  beforeEach(() => {
    place = temporaryHome()
  })
  afterEach(async () => {
    for (const connector of connectors) await connector.dispose()
    connectors = []
    host?.close()
    host = undefined
    place.remove()
  })
  const connectorWith = (prompter: Prompter) => {
    const connector = createSshConnector({
      homeDir: place.home,
      ownKnownHostsPath: place.ownKnownHostsPath,
      systemConfigPath: join(place.home, 'none'),
      prompter,
      env: {},
      limits: { ...FAST, stepTimeoutMs: 8000 },
    })
    connectors.push(connector)
    return connector
  }
  const target = (port: number) => hostAt({ port, user: 'ann', clientKeyPath: '/none' }, { identityFile: undefined })
  const passwordIs = (password: string) => (context: AuthContext) => {
    if (context.method === 'password' && context.password === password) context.accept()
    else context.reject(['password'])
  }
  const refused = async (connecting: Promise<unknown>) =>
    connecting.then(
      () => Promise.reject(new Error('it connected')),
      (error: unknown) => error as { code: string; message: string; evidence: string[]; nextStep: string },
    )

  it('sends nothing at all to a host whose key is not trusted', async () => {
    host = await fakeHost(passwordIs('s3cret'))
    const prompter = scriptedPrompter({ secrets: ['s3cret'] })
    await expect(connectorWith(prompter).connect(target(host.port))).rejects.toMatchObject({ code: 'host_key_unknown' })
    expect(host.requests).toEqual([])
    expect(prompter.asked.filter((question) => question.startsWith('Password'))).toEqual([])
  })

  it('asks for the password, naming the hop, again when it is wrong, and keeps the right one for reconnects', async () => {
    host = await fakeHost(passwordIs('s3cret'))
    const prompter = scriptedPrompter({ trust: true, secrets: ['typo', 's3cret'] })
    const link = await connectorWith(prompter).connect(target(host.port))
    expect(prompter.asked.slice(1)).toEqual([
      `Password for ann@127.0.0.1:${host.port}: `,
      `Password for ann@127.0.0.1:${host.port}: `,
    ])
    expect(host.requests).toEqual(['none', 'password typo', 'password s3cret'])
    for (const client of host.clients) client.end()
    await expect.poll(() => host?.requests.length, { timeout: 10_000 }).toBe(5)
    expect((await link.exec(['anything'])).stdout).toBe('ok\n')
    expect(prompter.asked).toHaveLength(3)
  })

  it('asks three times, then says what was offered and tried, without the secret', async () => {
    host = await fakeHost(passwordIs('s3cret'))
    const prompter = scriptedPrompter({ trust: true, secrets: ['wrong-a', 'wrong-b', 'wrong-c', 's3cret'] })
    const error = await refused(connectorWith(prompter).connect(target(host.port)))
    expect(error).toMatchObject({ code: 'auth' })
    expect(error.evidence).toEqual([
      `phase: authentication at ann@127.0.0.1:${host.port}`,
      'offered by the host: password',
      'tried: password; password; password',
    ])
    expect(JSON.stringify(error)).not.toContain('wrong-')
  })

  it('says so when nobody is there to ask', async () => {
    host = await fakeHost(passwordIs('s3cret'))
    const error = await refused(connectorWith(scriptedPrompter({ trust: true })).connect(target(host.port)))
    expect(error).toMatchObject({
      code: 'auth',
      message: expect.stringContaining('nobody was there'),
      nextStep: expect.stringContaining('terminal'),
    })
    expect(host.requests).toEqual(['none'])
  })

  it('passes the host its questions on, with echo as it says', async () => {
    const echoes: (boolean | undefined)[] = []
    host = await fakeHost(
      asking(
        [
          { prompt: 'Password: ', echo: false },
          { prompt: 'Code: ', echo: true },
        ],
        ([a, b]) => a === 'pw' && b === '123',
      ),
    )
    const scripted = scriptedPrompter({ trust: true, secrets: ['pw', '000', 'pw', '123'] })
    const prompter: Prompter = {
      ...scripted,
      secret: (text, options) => (echoes.push(options?.echo), scripted.secret(text, options)),
    }
    const link = await connectorWith(prompter).connect(target(host.port))
    expect((await link.exec(['x'])).code).toBe(0)
    expect(scripted.asked[1]).toBe(`Please answer. Password: [ann@127.0.0.1:${host.port}] `)
    expect(scripted.asked[2]).toBe(`Code: [ann@127.0.0.1:${host.port}] `)
    expect(echoes).toEqual([false, true, false, true])
  })

  it('gives a second factor after the first, also in an order that the host prescribes', async () => {
    let passed = false
    host = await fakeHost((context) => {
      if (context.method === 'password' && context.password === 'pw') {
        passed = true
        context.reject(['keyboard-interactive'], true)
      } else if (context.method === 'keyboard-interactive' && passed) {
        context.prompt([{ prompt: 'One-time password: ', echo: false }], ([code]) =>
          code === '42' ? context.accept() : context.reject([]),
        )
      } else {
        context.reject(['password'])
      }
    })
    const prompter = scriptedPrompter({ trust: true, secrets: ['pw', '42'] })
    const link = await connectorWith(prompter).connect(target(host.port))
    expect((await link.exec(['x'])).code).toBe(0)
    expect(host.requests).toEqual(['none', 'password pw', 'keyboard-interactive'])
  })

  it('does not repeat interactive questions that the host does not ask', async () => {
    host = await fakeHost((context) => context.reject(['keyboard-interactive', 'password']))
    const error = await refused(connectorWith(scriptedPrompter({ trust: true, secrets: ['a'] })).connect(target(host.port)))
    expect(error.code).toBe('auth')
    expect(host.requests).toEqual(['none', 'keyboard-interactive', 'password a'])
  })

  it('reports a host that hangs up in the middle', async () => {
    host = await fakeHost((context) => {
      if (context.method === 'none') context.reject(['password'])
      else for (const client of host?.clients ?? []) client.end()
    })
    const error = await refused(connectorWith(scriptedPrompter({ trust: true, secrets: ['a'] })).connect(target(host.port)))
    expect(error).toMatchObject({ code: 'unreachable', evidence: ['phase: authentication', expect.anything()] })
  })
})
