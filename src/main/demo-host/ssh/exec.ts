import { spawn } from 'node:child_process'
import type { ServerChannel } from 'ssh2'

export interface CommandContext {
  home: string
  environment: Record<string, string>
}

export interface RunningCommand {
  /** To the command's process group, as OpenSSH does. */
  signal(name: string): void
}

/**
 * Runs a command as sshd does without a terminal: `/bin/sh -c` in its own session, the channel open until everything that holds the
 * output has closed it. A closed channel doesn't end the command. Without a command: a plain shell.
 */
export function runCommand(channel: ServerChannel, command: string | undefined, context: CommandContext): RunningCommand {
  const child = spawn('/bin/sh', command === undefined ? [] : ['-c', command], {
    cwd: context.home,
    env: context.environment,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  channel.pipe(child.stdin)
  child.stdout.pipe(channel, { end: false })
  child.stderr.pipe(channel.stderr, { end: false })
  // A command may end before it has read its input (EPIPE), and a person may leave before it has said everything.
  child.stdin.on('error', () => {})
  channel.on('error', () => {})
  channel.on('close', () => {
    child.stdin.destroy()
    child.stdout.destroy()
    child.stderr.destroy()
  })
  child.on('error', (error) => {
    channel.stderr.write(`/bin/sh: ${error.message}\n`)
    channel.exit(127)
    channel.end()
  })
  child.on('close', (code, signal) => {
    if (signal) channel.exit(signal.replace(/^SIG/, ''))
    else channel.exit(code ?? 255)
    channel.end()
  })
  return {
    signal: (name) => {
      try {
        // Once it has ended and been waited for, its number may be somebody else's.
        if (child.pid && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, `SIG${name}`)
      } catch {
        // No such signal, or nobody there any more.
      }
    },
  }
}
