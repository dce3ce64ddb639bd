import type { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Connection } from './connect.ts'
import { createRemoteFiles } from './files.ts'
import { openForward } from './forward.ts'
import { untilThereIsRoom } from './patience.ts'
import { type Running, startCommand } from './sessions.ts'
import { createSlots, type Slots } from './slots.ts'
import { type Clock, createSupervisor, NeverSent, type ReconnectLimits } from './supervisor.ts'
import { createTunnel } from './tunnel.ts'
import type { ExecOptions, ExecResult, HostLink, Tunnel } from './types.ts'

/** sshd allows ten sessions a connection (MaxSessions): six commands, two streams, one SFTP session, and one free to end a command. */
const MAX_COMMANDS = 6
const MAX_STREAMS = 2

interface LinkDeps {
  hostName: string
  /** Already open, so that the caller has had the errors of the first attempt. */
  first: Connection
  /** Opens another connection to the same host, with every check. */
  open: () => Promise<Connection>
  limits?: Partial<ReconnectLimits> | undefined
  clock?: Clock | undefined
  onDisposed?: (() => void) | undefined
}

/** One control connection to a host that comes back by itself. */
export function createHostLink(deps: LinkDeps): HostLink {
  const supervisor = createSupervisor(deps)
  const commands = createSlots(MAX_COMMANDS)
  const streams = createSlots(MAX_STREAMS)
  const tunnels = new Set<Tunnel>()

  const start = async (
    slots: Slots,
    argv: readonly string[],
    options: ExecOptions & { onStdout?: (chunk: Buffer) => void },
  ): Promise<Running> => {
    const release = await slots.take()
    try {
      for (;;) {
        const connection = await supervisor.connection(options.signal)
        try {
          const running = await untilThereIsRoom(() => startCommand(connection, argv, { ...options, hostName: deps.hostName }))
          void running.closed.then(release)
          return running
        } catch (error) {
          if (!(error instanceof NeverSent)) throw error
          // The next turn of the loop waits for a new connection.
          connection.close()
          await setImmediate()
        }
      }
    } catch (error) {
      release()
      throw error
    }
  }
  const exec = async (argv: readonly string[], options: ExecOptions = {}): Promise<ExecResult> =>
    (await start(commands, argv, options)).done
  const script: HostLink['script'] = (text, args = [], options = {}) =>
    // In braces with its own input: sh reads it whole before it starts, and no command in it can eat the rest.
    exec(['sh', '-s', '--', ...args], { ...options, stdin: `{\n${text}\n} </dev/null\n` })
  const files = createRemoteFiles({
    hostName: deps.hostName,
    connection: () => supervisor.connection(),
    isClosed: () => supervisor.isClosed(),
    script,
  })

  return {
    hostName: deps.hostName,
    exec,
    script,
    files,
    async stream(argv, onStdout) {
      const running = await start(streams, argv, { onStdout })
      // Whoever does not wait for the end must not be struck by it.
      running.done.catch(() => undefined)
      return { done: running.done, dispose: () => running.stop() }
    },
    async connect(port, address = '127.0.0.1'): Promise<Duplex> {
      return openForward(await supervisor.connection(), deps.hostName, port, address)
    },
    async tunnel(port, options = {}) {
      const tunnel: Tunnel = await createTunnel({
        ...options,
        hostName: deps.hostName,
        port,
        streams: options.streams ?? 1,
        open: deps.open,
        onDisposed: () => tunnels.delete(tunnel),
      })
      tunnels.add(tunnel)
      return tunnel
    },
    onStateChange: (listener) => supervisor.onStateChange(listener),
    async dispose() {
      await Promise.all([...tunnels].map((tunnel) => tunnel.dispose()))
      files.dispose()
      supervisor.dispose()
      deps.onDisposed?.()
    },
  }
}
