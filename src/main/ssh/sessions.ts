import type { ClientChannel } from 'ssh2'
import { SpeedgridError } from '../../shared/model/error.ts'
import type { Connection } from './connect.ts'
import { interrupted, linkLost } from './supervisor.ts'
import type { ExecOptions, ExecResult } from './types.ts'

const DEFAULT_MAX_OUTPUT_BYTES = 4 * 1024 * 1024
const KILL_AFTER_MS = 1000

export interface Running {
  done: Promise<ExecResult>
  /** The channel is gone: its place may be used again. */
  closed: Promise<void>
  /** Ends the command and the channel; `done` resolves with what there was. */
  stop(): void
}

export interface RunOptions extends ExecOptions {
  hostName: string
  /** For error texts. */
  shown: string
  onStdout?: (chunk: Buffer) => void
}

/** Runs one command line on a connection. Rejects with link_lost, remote (time out, channel refused) or interrupted. */
export async function startCommand(connection: Connection, line: string, options: RunOptions): Promise<Running> {
  const channel = await openExec(connection, line, options)
  const stdout = createCollector(options.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES)
  const stderr = createCollector(options.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES)
  let exit: { code: number | null; signal?: string } = { code: null }
  let isClosed: () => void = () => undefined
  const closed = new Promise<void>((resolve) => (isClosed = resolve))
  const stop = () => endCommand(channel, closed)

  const done = new Promise<ExecResult>((resolve, reject) => {
    const finish = (settle: () => void) => {
      clearTimeout(timer)
      stopListening()
      options.signal?.removeEventListener('abort', abort)
      settle()
    }
    const abort = () => {
      stop()
      finish(() => reject(interrupted()))
    }
    const expire = () => {
      stop()
      finish(() => reject(timedOut(options)))
    }
    const timer = options.timeoutMs === undefined ? undefined : setTimeout(expire, options.timeoutMs)
    const stopListening = connection.onClose((reason) => {
      isClosed()
      finish(() => reject(linkLost(options.hostName, reason)))
    })
    options.signal?.addEventListener('abort', abort, { once: true })
    channel.on('exit', (code: number | null, signal?: string) => {
      exit = { code, ...(signal ? { signal } : {}) }
    })
    channel.on('close', () => {
      isClosed()
      // What stderr has buffered comes out in this turn of the loop.
      setImmediate(() => finish(() => resolve({ ...exit, stdout: stdout.text(), stderr: stderr.text() })))
    })
    if (options.signal?.aborted) abort()
  })
  channel.on('error', () => undefined)
  channel.on('data', options.onStdout ?? stdout.add)
  channel.stderr.on('data', stderr.add)
  channel.end(options.stdin ?? '')
  return { done, closed, stop }
}

function openExec(connection: Connection, line: string, options: RunOptions): Promise<ClientChannel> {
  return new Promise((resolve, reject) => {
    let reason: string | undefined
    const stopListening = connection.onClose((text) => {
      reason = text
      reject(linkLost(options.hostName, text))
    })
    const refuse = (error: Error) => {
      stopListening()
      if (reason !== undefined || /not connected|no response/i.test(error.message))
        return reject(linkLost(options.hostName, error.message))
      reject(
        new SpeedgridError('remote', `${options.hostName} did not start a command.`, {
          evidence: [options.shown, error.message],
          nextStep: 'Check that the account has a shell and that sshd allows sessions (MaxSessions, ForceCommand).',
          from: error,
        }),
      )
    }
    try {
      connection.client.exec(line, (error, channel) => {
        if (error) return refuse(error)
        stopListening()
        resolve(channel)
      })
    } catch (error) {
      refuse(error instanceof Error ? error : new Error(String(error)))
    }
  })
}

/** Closing a channel leaves the remote process running: it is told to end first (sshd signals its whole group), then killed. */
function endCommand(channel: ClientChannel, closed: Promise<void>): void {
  sendSignal(channel, 'TERM')
  const timer = setTimeout(() => {
    sendSignal(channel, 'KILL')
    channel.close()
  }, KILL_AFTER_MS)
  timer.unref()
  void closed.then(() => clearTimeout(timer))
}

interface WithProtocol {
  _client?: { _protocol?: { signal?: (channel: number, name: string) => void } }
  outgoing?: { id: number; state: string }
}

/** The library's own `signal` does nothing once standard input has been closed, which it always has here. */
function sendSignal(channel: ClientChannel, name: 'TERM' | 'KILL'): void {
  const { _client, outgoing } = channel as unknown as WithProtocol
  if (!outgoing || outgoing.state === 'closed' || outgoing.state === 'closing') return
  try {
    _client?._protocol?.signal?.(outgoing.id, name)
  } catch {
    // The connection is gone, and with it the channel.
  }
}

function timedOut(options: RunOptions): SpeedgridError {
  return new SpeedgridError('remote', `A command on ${options.hostName} did not end in ${(options.timeoutMs ?? 0) / 1000} s.`, {
    evidence: [options.shown],
    nextStep: `Check the load and the file systems of the host: speedgrid doctor ${options.hostName}`,
  })
}

function createCollector(maxBytes: number): { add(chunk: Buffer): void; text(): string } {
  const chunks: Buffer[] = []
  let bytes = 0
  return {
    add(chunk) {
      const room = maxBytes - bytes
      if (room <= 0) return
      const part = chunk.length > room ? chunk.subarray(0, room) : chunk
      chunks.push(part)
      bytes += part.length
    },
    text: () => Buffer.concat(chunks).toString('utf8'),
  }
}
