import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import ssh2 from 'ssh2'
import type { Client } from 'ssh2'
import { SpeedgridError } from '../../shared/model/error.ts'
import { availableCrypto, chooseAlgorithms } from './algorithms.ts'
import { type Authenticator, createAuthenticator } from './auth.ts'
import { createClosing, createDeadline, secretsOf, type WhileOpen } from './connection-life.ts'
import { dialTcp, unreachable } from './dial.ts'
import { type Hop, nameOf } from './hops.ts'
import type { HostKeys } from './host-keys.ts'
import { inScopeOf, type Owner } from './scope.ts'
import type { SecretMemory } from './secrets.ts'

export interface ConnectDeps {
  homeDir: string
  env: Record<string, string | undefined>
  secrets: SecretMemory
  hostKeys: HostKeys
  limits?: Partial<ConnectLimits> | undefined
}

export interface ConnectLimits {
  dialTimeoutMs: number
  /** Handshake, and each step of the authentication; it stands still while the person is asked. */
  stepTimeoutMs: number
  keepaliveIntervalMs: number
  keepaliveCount: number
}

const LIMITS: ConnectLimits = { dialTimeoutMs: 15_000, stepTimeoutMs: 30_000, keepaliveIntervalMs: 15_000, keepaliveCount: 3 }

/** An authenticated connection to the last hop. */
export interface Connection {
  client: Client
  /** Called once, also when it is closed already. Returns how to stop listening. */
  onClose(listener: (reason: string) => void): () => void
  isClosed(): boolean
  /** Bytes that have come so far, where its carrier counts them. */
  bytesRead?(): number
  close(): void
}

/** Connects hop by hop; every host key is verified before anything secret is sent to that hop. Throws SpeedgridError naming hop and phase. */
export async function openConnection(hops: readonly Hop[], deps: ConnectDeps): Promise<Connection> {
  const opened: Connection[] = []
  try {
    for (const hop of hops) {
      const before = opened.at(-1)
      const connection = await throughHop(hop, before, hops, deps)
      before?.onClose(() => connection.close())
      opened.push(connection)
    }
  } catch (error) {
    for (const connection of opened.toReversed()) connection.close()
    throw error
  }
  const last = opened.at(-1)
  if (!last) throw new SpeedgridError('internal', 'A connection without a hop.')
  last.onClose(() => {
    for (const connection of opened.toReversed()) connection.close()
  })
  return last
}

/** Connects to the first hop whose key is not known, or to the last one, and gives the key it shows, without authenticating there. */
export async function readKey(hops: readonly Hop[], deps: ConnectDeps): Promise<{ hop: Hop; key: Buffer }> {
  let before: Connection | undefined
  const opened: Connection[] = []
  try {
    for (const [index, hop] of hops.entries()) {
      const key = await probeKey(hop, await carrierTo(hop, before, hops, deps), deps)
      if (index === hops.length - 1 || deps.hostKeys.judge(hop, key).state !== 'known') return { hop, key }
      before = await throughHop(hop, before, hops, deps)
      opened.push(before)
    }
  } finally {
    for (const connection of opened.toReversed()) connection.close()
  }
  throw new SpeedgridError('internal', 'A way without a hop.')
}

/** What goes wrong in the library's callbacks from here on belongs to this connection. */
function throughHop(hop: Hop, before: Connection | undefined, hops: readonly Hop[], deps: ConnectDeps): Promise<Connection> {
  const owner: Owner = { end: () => false }
  return inScopeOf(owner, async () => openHop(hop, await carrierTo(hop, before, hops, deps), deps, owner))
}

async function carrierTo(hop: Hop, before: Connection | undefined, hops: readonly Hop[], deps: ConnectDeps): Promise<Duplex> {
  const timeoutMs = deps.limits?.dialTimeoutMs ?? LIMITS.dialTimeoutMs
  if (!before) return dialTcp(hop, timeoutMs)
  const via = nameOf(hops[hops.indexOf(hop) - 1] ?? hop)
  return new Promise((resolve, reject) => {
    let late = false
    const timer = setTimeout(() => {
      late = true
      reject(unreachable(hop, 'TCP connection', new Error('timed out'), via))
    }, timeoutMs)
    try {
      before.client.forwardOut('127.0.0.1', 0, hop.target.hostName, hop.target.port, (error, channel) => {
        clearTimeout(timer)
        if (error) return reject(unreachable(hop, 'TCP connection', error, via))
        // An error event without a listener would be thrown.
        channel.on('error', () => undefined)
        if (late) channel.close()
        else resolve(channel)
      })
    } catch (error) {
      clearTimeout(timer)
      reject(unreachable(hop, 'TCP connection', error, via))
    }
  })
}

interface Attempt {
  phase: 'handshake' | 'host key' | 'authentication'
  /** The reason that counts, where we have a better one than the library's event. */
  failure?: SpeedgridError
  acceptedKey?: Buffer
  settled: boolean
}

function openHop(hop: Hop, carrier: Duplex, deps: ConnectDeps, owner: Owner): Promise<Connection> {
  const limits = { ...LIMITS, ...deps.limits }
  return new Promise((resolve, reject) => {
    const client = new ssh2.Client()
    const attempt: Attempt = { phase: 'handshake', settled: false }
    const deadline = createDeadline(limits.stepTimeoutMs, () =>
      fail(new Error(`timed out after ${Math.round(limits.stepTimeoutMs / 1000)} s`)),
    )
    const gone = new AbortController()
    const secrets = secretsOf(deps.secrets, deadline, gone.signal)
    const whileOpen: WhileOpen =
      (call) =>
      (...args) => {
        if (gone.signal.aborted) return
        try {
          call(...args)
        } catch (error) {
          end(error)
        }
      }
    const authenticator = createAuthenticator(hop, { ...deps, secrets, whileOpen })
    const closing = createClosing(client, carrier)

    const fail = (error: unknown) => {
      if (attempt.settled) return
      attempt.settled = true
      deadline.stop()
      const failure =
        attempt.failure ?? (secrets.isAsking ? unanswered(hop, error) : explainFailure(hop, attempt, error, authenticator))
      gone.abort(failure)
      closing.close()
      reject(failure)
    }
    const end = (error: unknown): boolean => {
      if (closing.isClosed()) return false
      if (error instanceof Error) closing.because(error.message)
      fail(error)
      closing.close()
      return true
    }
    owner.end = end
    closing.onClose((reason) => {
      fail(new Error('the host closed the connection'))
      gone.abort(new Error(reason))
    })
    client.on('error', (error: Error & { level?: string }) => {
      // One key that could not sign: the library goes on with the next by itself.
      if (error.level === 'agent' && !attempt.settled) authenticator.problem(error.message)
      else if (attempt.settled) closing.because(error.message)
      else fail(error)
    })
    client.on('ready', () => {
      attempt.settled = true
      deadline.stop()
      authenticator.accepted()
      resolve({
        client,
        onClose: (listener) => closing.onClose(listener),
        isClosed: () => closing.isClosed(),
        ...(carrier instanceof Socket ? { bytesRead: () => carrier.bytesRead } : {}),
        close: () => closing.close(),
      })
    })

    const verify = (key: Buffer, decide: (ok: boolean) => void): void => {
      const answer = whileOpen(decide)
      // Called again at each re-keying: then only the same key will do.
      if (attempt.acceptedKey) return answer(attempt.acceptedKey.equals(key))
      attempt.phase = 'host key'
      deadline.pause()
      deps.hostKeys.verify(hop, key, secrets).then(
        () => {
          attempt.acceptedKey = Buffer.from(key)
          attempt.phase = 'authentication'
          deadline.restart()
          answer(true)
        },
        (error: unknown) => {
          if (error instanceof SpeedgridError) attempt.failure ??= error
          answer(false)
          fail(error)
        },
      )
    }
    try {
      client.connect({
        sock: carrier,
        username: hop.target.user,
        algorithms: chooseAlgorithms(availableCrypto(), deps.hostKeys.knownTypes(hop)),
        hostVerifier: verify,
        authHandler: (methodsLeft, partial, next) => {
          deadline.restart()
          authenticator.handler(methodsLeft, partial, next)
        },
        readyTimeout: 0,
        keepaliveInterval: limits.keepaliveIntervalMs,
        keepaliveCountMax: limits.keepaliveCount,
      })
    } catch (error) {
      fail(error)
    }
  })
}

/** The key a hop shows; the handshake ends there, before any authentication. */
function probeKey(hop: Hop, carrier: Duplex, deps: ConnectDeps): Promise<Buffer> {
  const limits = { ...LIMITS, ...deps.limits }
  return new Promise((resolve, reject) => {
    const client = new ssh2.Client()
    const finish = (settle: () => void) => {
      clearTimeout(timer)
      client.destroy()
      carrier.destroy()
      settle()
    }
    const fail = (error: unknown) => finish(() => reject(unreachable(hop, 'handshake', error)))
    const timer = setTimeout(() => fail(new Error('timed out')), limits.stepTimeoutMs)
    client.on('error', fail)
    client.on('close', () => fail(new Error('the host closed the connection')))
    client.connect({
      sock: carrier,
      username: hop.target.user,
      algorithms: chooseAlgorithms(availableCrypto(), deps.hostKeys.knownTypes(hop)),
      hostVerifier: (key: Buffer) => {
        const copy = Buffer.from(key)
        finish(() => resolve(copy))
        return false
      },
      readyTimeout: 0,
    })
  })
}

/** The host did not wait for the person. sshd's limit is two minutes unless LoginGraceTime says otherwise. */
function unanswered(hop: Hop, error: unknown): SpeedgridError {
  const message = error instanceof Error ? error.message : String(error)
  return new SpeedgridError(
    'unreachable',
    `The connection to ${nameOf(hop)} ended while a question was waiting for its answer.`,
    {
      evidence: [`${hop.target.hostName} port ${hop.target.port}: ${message}`],
      nextStep: `Connect again: a host waits for about two minutes. To compare a host key at leisure: speedgrid hosts trust ${hop.hostName}`,
      from: error,
    },
  )
}

function explainFailure(hop: Hop, attempt: Attempt, error: unknown, authenticator: Authenticator): SpeedgridError {
  if (error instanceof SpeedgridError) return error
  const level = error instanceof Error && 'level' in error ? error.level : undefined
  const message = error instanceof Error ? error.message : String(error)
  if (attempt.phase === 'authentication') {
    if (level === 'client-authentication') return authenticator.error()
    // sshd says “Too many authentication failures” as a disconnect, not as an answer.
    if (/authentication/i.test(message)) return authenticator.error(message)
  }
  return unreachable(hop, attempt.phase, error)
}
