import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { commandLine } from './quote.ts'
import { END_GROUP } from './sessions.ts'

const started: ChildProcess[] = []
afterEach(() => {
  for (const { pid } of started.splice(0)) {
    try {
      process.kill(-(pid ?? 0), 'SIGKILL')
    } catch {
      // it is gone already
    }
  }
})

/** A command as sshd starts it, in a session of its own; what it said of itself, and what it printed. */
async function start(argv: string[]): Promise<{ pid: string; ticks: string; said: string }> {
  const child = spawn('/bin/sh', ['-c', commandLine(argv, { announcePid: true })], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  const [said, mark] = await Promise.all([firstLine(child.stdout), firstLine(child.stderr)])
  const [, pid = '', ticks = ''] = mark.split(' ')
  return { pid, ticks, said }
}

function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text.includes('\n')) resolve(text.split('\n')[0] ?? '')
    })
  })
}

function isThere(pid: string): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

const end = (pid: string, ticks: string) =>
  execFileSync('sh', ['-c', END_GROUP, 'sh', pid, ticks, `SPEEDGRID_COMMAND=${pid}.${ticks}`])

test.skipIf(process.platform !== 'linux')(
  'a command is ended with its group, and what is left of its group after it',
  async () => {
    const whole = await start(['sh', '-c', 'sleep 300 & echo $!; wait'])
    expect(
      readFileSync(`/proc/${whole.pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[19],
    ).toBe(whole.ticks)
    end(whole.pid, whole.ticks)
    expect([isThere(whole.pid), isThere(whole.said)]).toEqual([false, false])

    const rest = await start(['sh', '-c', 'sleep 300 & echo $!'])
    for (let round = 0; round < 400 && isThere(rest.pid); round += 1) await new Promise((resolve) => setTimeout(resolve, 10))
    expect([isThere(rest.pid), isThere(rest.said)]).toEqual([false, true])
    end(rest.pid, rest.ticks)
    expect(isThere(rest.said)).toBe(false)
  },
)

test.skipIf(process.platform !== 'linux')('a process or group that got the number since is left alone', async () => {
  const other = await start(['sh', '-c', 'sleep 300 & echo $!; wait'])
  end(other.pid, String(Number(other.ticks) - 1))
  expect([isThere(other.pid), isThere(other.said)]).toEqual([true, true])
})
