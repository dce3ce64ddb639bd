import type { ClientChannel } from 'ssh2'
import { SpeedgridError } from '../../shared/model/error.ts'
import type { Connection } from './connect.ts'
import { OWN_PROCESS } from './own-process.ts'
import { quoteArgv } from '../../shared/command/quote.ts'
import { COMMAND_MARK, commandLine, PID_MARK } from './quote.ts'
import { isNoRoom, NoRoom, untilThereIsRoom } from './patience.ts'
import { interrupted, linkLost, NeverSent } from './supervisor.ts'
import type { ExecOptions, ExecResult } from './types.ts'

/** Of a command, in an error. */
const SHOWN_CHARACTERS = 200
const PID_LINE = new RegExp(`(^|\\n)${PID_MARK} (\\d+) (\\d+)\\n`)
const PID_WAIT_MS = 5000
const MAX_HELD_BYTES = 64 * 1024
const DEFAULT_MAX_OUTPUT_BYTES = 4 * 1024 * 1024

export interface Running {
  done: Promise<ExecResult>
  /** The channel is gone: its place may be used again. */
  closed: Promise<void>
  /** Ends the command, its process group and the channel; `done` resolves with what there was. */
  stop(): void
}

interface RunOptions extends ExecOptions {
  hostName: string
  onStdout?: (chunk: Buffer) => void
}

/** Runs an argument list on a connection. Rejects with link_lost, remote (time out, channel refused) or interrupted. */
export function startCommand(connection: Connection, argv: readonly string[], options: RunOptions): Promise<Running> {
  const shown = quoteArgv(argv).slice(0, SHOWN_CHARACTERS)
  const line = commandLine(argv, { announcePid: true })
  // The end of a short command may arrive together with its start: everything must be listening when the channel is handed over.
  return openExec(connection, line, options.hostName, shown, (channel) => attend(connection, channel, options, shown))
}

function attend(connection: Connection, channel: ClientChannel, options: RunOptions, shown: string): Running {
  const stdout = createCollector(options.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES)
  const stderr = createCollector(options.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES)
  const errors = createPidReader((chunk) => stderr.add(chunk))
  let exit: { code: number | null; signal?: string } = { code: null }
  let isClosed: () => void = () => undefined
  const closed = new Promise<void>((resolve) => (isClosed = resolve))
  const stop = () => void endCommand(connection, channel, options.hostName, errors.pid())

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
      finish(() => reject(timedOut(options, shown)))
    }
    const timer = options.timeoutMs === undefined ? undefined : setTimeout(expire, options.timeoutMs)
    const stopListening = connection.onClose((reason) => {
      isClosed()
      errors.flush()
      finish(() => reject(linkLost(options.hostName, reason)))
    })
    options.signal?.addEventListener('abort', abort, { once: true })
    channel.on('exit', (code: number | null, signal?: string) => {
      exit = { code, ...(signal ? { signal } : {}) }
    })
    channel.on('close', () => {
      isClosed()
      // What stderr has buffered comes out in this turn of the loop.
      setImmediate(() => {
        errors.flush()
        finish(() => resolve({ ...exit, stdout: stdout.text(), stderr: stderr.text() }))
      })
    })
    if (options.signal?.aborted) abort()
  })
  channel.on('error', () => undefined)
  channel.on('data', options.onStdout ?? ((chunk: Buffer) => stdout.add(chunk)))
  channel.stderr.on('data', (chunk: Buffer) => errors.add(chunk))
  channel.end(options.stdin ?? '')
  return { done, closed, stop }
}

function openExec(
  connection: Connection,
  line: string,
  hostName: string,
  shown: string,
  attend: (channel: ClientChannel) => Running,
): Promise<Running> {
  return new Promise((resolve, reject) => {
    const stopListening = connection.onClose((reason) => {
      // The library's own answer, which comes in this turn of the loop, tells whether the command was sent.
      setImmediate(() => reject(linkLost(hostName, reason)))
    })
    const refuse = (error: Error) => {
      stopListening()
      if (/not connected|no response/i.test(error.message)) {
        return reject(new NeverSent('link_lost', `The connection to ${hostName} broke.`, { evidence: [error.message] }))
      }
      if (connection.isClosed()) return reject(linkLost(hostName, error.message))
      const Refusal = isNoRoom(error) ? NoRoom : SpeedgridError
      reject(
        new Refusal('remote', `${hostName} did not start a command.`, {
          evidence: [shown, error.message],
          nextStep: 'Check that the account has a shell and that sshd allows sessions (MaxSessions, ForceCommand).',
          from: error,
        }),
      )
    }
    try {
      connection.client.exec(line, (error, channel) => {
        if (error) return refuse(error)
        stopListening()
        resolve(attend(channel))
      })
    } catch (error) {
      refuse(error instanceof Error ? error : new Error(String(error)))
    }
  })
}

/**
 * Closing a channel leaves the remote process running (and sshd forwards signals for no root login): its group is told to end, then killed.
 * Right before each signal it is looked at who that is now: as long as the command lives (process and start time), nobody else can have the
 * group's number; once it has ended, only what carries its mark.
 */
export const END_GROUP = `
${OWN_PROCESS}
end() {
  if stat_of "$2" && [ "$p_ticks" = "$3" ] && [ "$p_group" = "$2" ]; then kill -s "$1" -- "-$2"; return; fi
  for left in $(cat /proc/[0-9]*/stat 2>/dev/null | sed -n "s/^\\([0-9]*\\) .*) [A-Z] [0-9]* $2 .*/\\1/p"); do
    stat_of "$left" && [ "$p_group" = "$2" ] && is_marked "$left" "$4" && kill -s "$1" "$left"
  done
}
end TERM "$1" "$2" "$3"; sleep 1; end KILL "$1" "$2" "$3"
exit 0
`

async function endCommand(
  connection: Connection,
  channel: ClientChannel,
  hostName: string,
  process: Promise<CommandProcess | undefined>,
): Promise<void> {
  const known = await process
  channel.close()
  if (known === undefined) return
  const { pid, startTicks } = known
  try {
    const argv = ['sh', '-c', END_GROUP, 'sh', pid, startTicks, `${COMMAND_MARK}=${pid}.${startTicks}`]
    const killer = await untilThereIsRoom(() => startCommand(connection, argv, { hostName }))
    await killer.done
  } catch {
    // The connection is gone; the command gets its hang-up from sshd.
  }
}

interface CommandProcess {
  pid: string
  startTicks: string
}

interface PidReader {
  add(chunk: Buffer): void
  /** No more comes: what was held back is passed on. */
  flush(): void
  /** Waits a little for a command that has only just been started; undefined where it never said. */
  pid(): Promise<CommandProcess | undefined>
}

/** Takes the line with the process id out of standard error; passes everything else on. */
function createPidReader(onStderr: (chunk: Buffer) => void): PidReader {
  let held: Buffer | undefined = Buffer.alloc(0)
  let settle: (found: CommandProcess | undefined) => void = () => undefined
  const found = new Promise<CommandProcess | undefined>((resolve) => (settle = resolve))
  return {
    async pid() {
      const timer = setTimeout(() => settle(undefined), PID_WAIT_MS)
      const pid = await found
      clearTimeout(timer)
      return pid
    },
    flush() {
      settle(undefined)
      if (held && held.length > 0) onStderr(held)
      held = undefined
    },
    add(chunk) {
      if (!held) return onStderr(chunk)
      held = Buffer.concat([held, chunk])
      // A login shell's own start-up files may speak first.
      const mark = PID_LINE.exec(held.toString('latin1'))
      if (!mark && held.length < MAX_HELD_BYTES) return
      settle(mark ? { pid: mark[2] ?? '', startTicks: mark[3] ?? '' } : undefined)
      const start = mark ? mark.index + (mark[1]?.length ?? 0) : 0
      const rest = mark ? Buffer.concat([held.subarray(0, start), held.subarray(mark.index + mark[0].length)]) : held
      held = undefined
      if (rest.length > 0) onStderr(rest)
    },
  }
}

function timedOut(options: RunOptions, shown: string): SpeedgridError {
  return new SpeedgridError('remote', `A command on ${options.hostName} did not end in ${(options.timeoutMs ?? 0) / 1000} s.`, {
    evidence: [shown],
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
