import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import ssh2 from 'ssh2'
import type { AuthContext, Connection, Session } from 'ssh2'
import { SpeedgridError } from '../../../shared/model/error.ts'
import { runCommand } from './exec.ts'
import type { CommandContext, RunningCommand } from './exec.ts'
import { forward } from './forward.ts'
import { makeKeyPair } from './key-pair.ts'
import { serveSftp } from './sftp.ts'

interface SshServer {
  port: number
  hostKeyFingerprint: string
  /** `ssh-ed25519 AAAA…` */
  hostKey: string
  dispose(): Promise<void>
}

interface SshServerOptions extends CommandContext {
  user: string
  port: number
  /** The one key that may enter, in OpenSSH's public form. */
  clientPublicKey: string
}

/** An SSH server on 127.0.0.1 with a host key made now, for one account with one key. */
export async function createSshServer(options: SshServerOptions): Promise<SshServer> {
  const hostKeys = makeKeyPair()
  const hostKey = hostKeys.public.trim().split(' ').slice(0, 2).join(' ')
  const server = new ssh2.Server({ hostKeys: [hostKeys.private], ident: 'Speedgrid-demo' }, (connection) =>
    serveConnection(connection, options),
  )
  const sockets = new Set<Socket>()
  // Our own listener, for the no-delay (small token events must not wait for an acknowledgement) and to end what doesn't end by itself.
  const listener = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    server.injectSocket(socket)
  })
  const port = await listen(listener, options.port)
  return {
    port,
    hostKey,
    hostKeyFingerprint: fingerprint(hostKey),
    dispose: async () => {
      const closed = new Promise<void>((done) => listener.close(() => done()))
      for (const socket of sockets) socket.destroySoon()
      const force = setTimeout(() => sockets.forEach((socket) => socket.destroy()), 500)
      await closed
      clearTimeout(force)
    },
  }
}

/** As `ssh-keygen -l` prints it. */
export function fingerprint(publicKey: string): string {
  const blob = Buffer.from(publicKey.split(' ')[1] ?? '', 'base64')
  return `SHA256:${createHash('sha256')
    .update(blob)
    .digest('base64')
    .replace(/(?<!=)=+$/, '')}`
}

async function listen(listener: Server, wantedPort: number): Promise<number> {
  await new Promise<void>((done, fail) => {
    listener.once('error', (error: NodeJS.ErrnoException) => {
      const cause = error.code === 'EADDRINUSE' ? `Port ${wantedPort} is in use.` : `Port ${wantedPort}: ${error.message}`
      const nextStep = 'Choose another --port, or leave it out for a free one.'
      fail(new SpeedgridError('usage', `The demo machine can't listen on 127.0.0.1. ${cause}`, { nextStep }))
    })
    listener.listen(wantedPort, '127.0.0.1', () => done())
  })
  return (listener.address() as AddressInfo).port
}

function serveConnection(connection: Connection, options: SshServerOptions): void {
  connection.on('error', () => {}) // a client that left without saying goodbye
  connection.on('authentication', (context) => authenticate(context, options))
  connection.on('session', (accept) => serveSession(accept(), options))
  connection.on('tcpip', forward)
}

function authenticate(context: AuthContext, options: SshServerOptions): void {
  const allowed = ssh2.utils.parseKey(options.clientPublicKey)
  const keys = Array.isArray(allowed) ? allowed[0] : allowed
  if (context.method !== 'publickey' || context.username !== options.user || !keys || keys instanceof Error) {
    context.reject(['publickey'])
    return
  }
  const expected = keys.getPublicSSH()
  const offered = context.key.data
  const known = offered.length === expected.length && timingSafeEqual(offered, expected)
  // Without a signature the client only asks whether the key would do.
  const proven =
    context.signature === undefined ||
    (context.blob !== undefined && keys.verify(context.blob, context.signature, context.hashAlgo) === true)
  if (known && proven) context.accept()
  else context.reject(['publickey'])
}

function serveSession(session: Session, options: SshServerOptions): void {
  const environment = { ...options.environment }
  let running: RunningCommand | undefined
  session.on('env', (accept, reject, info) => {
    const allowed = /^(LANG|LC_[A-Z]+)$/.test(info.key)
    if (allowed) environment[info.key] = info.val
    if (allowed) accept?.()
    else reject?.()
  })
  session.on('exec', (accept, _reject, info) => {
    running = runCommand(accept(), info.command, { home: options.home, environment })
  })
  session.on('shell', (accept) => {
    running = runCommand(accept(), undefined, { home: options.home, environment })
  })
  session.on('sftp', (accept) => serveSftp(accept(), options.home))
  session.on('signal', (accept, _reject, info) => {
    running?.signal(info.name)
    accept?.()
  })
}
