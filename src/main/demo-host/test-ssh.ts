import { readFileSync } from 'node:fs'
import ssh2 from 'ssh2'
import type { Client, ClientChannel, SFTPWrapper } from 'ssh2'
import type { DemoHost } from './start-demo-host.ts'

/** For tests: a real SSH client that checks the host key. */
export async function connectTo(
  host: Pick<DemoHost, 'port' | 'user' | 'hostKeyLine' | 'clientKeyPath'>,
  privateKey?: string,
): Promise<Client> {
  const client = new ssh2.Client()
  const expected = host.hostKeyLine.split(' ')[2]
  await new Promise<void>((done, fail) => {
    client.once('ready', () => done())
    client.once('error', fail)
    client.connect({
      host: '127.0.0.1',
      port: host.port,
      username: host.user,
      privateKey: privateKey ?? readFileSync(host.clientKeyPath, 'utf8'),
      hostVerifier: (key: Buffer) => key.toString('base64') === expected,
    })
  })
  return client
}

export interface Ran {
  code: number | null
  signal: string | undefined
  stdout: string
  stderr: string
}

export async function run(
  client: Client,
  command: string,
  stdin: string | null = '',
  onChannel?: (channel: ClientChannel) => void,
): Promise<Ran> {
  const channel = await new Promise<ClientChannel>((done, fail) => {
    client.exec(command, (error, opened) => (error ? fail(error) : done(opened)))
  })
  onChannel?.(channel)
  return new Promise((done) => {
    const out: Buffer[] = []
    const err: Buffer[] = []
    let code: number | null = null
    let signal: string | undefined
    channel.on('data', (chunk: Buffer) => out.push(chunk))
    channel.stderr.on('data', (chunk: Buffer) => err.push(chunk))
    channel.on('exit', (status: number | null, name?: string) => {
      code = status
      signal = name
    })
    channel.on('close', () =>
      done({ code, signal, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }),
    )
    if (stdin !== null) channel.end(stdin)
  })
}

export function openSftp(client: Client): Promise<SFTPWrapper> {
  return new Promise((done, fail) => {
    client.sftp((error, sftp) => (error ? fail(error) : done(sftp)))
  })
}

/** A callback-style call of ssh2's SFTP client as a promise. */
export function call<Result = void>(
  start: (callback: (error: Error | null | undefined, result?: Result) => void) => unknown,
): Promise<Result> {
  return new Promise((done, fail) => {
    start((error, result) => (error ? fail(error) : done(result as Result)))
  })
}
