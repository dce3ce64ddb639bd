import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { Job } from '../../../shared/model/job.ts'
import type { DriverClient } from '../stream/types.ts'
import type { Clock } from './clock.ts'
import { isAlive } from './identity.ts'

export interface ServerWatch {
  /** What is wrong with the server, or undefined where it answers. */
  findDeath(): Promise<string | undefined>
  /** Answers once the server does again; rejects with the signal's reason. */
  whenBack(signal: AbortSignal): Promise<void>
  /** Last lines of the server's log where the driver can see it. */
  logLines(): string[]
}

const TRIES = 4
const PAUSE_MS = 300
const ANSWER_MS = 5000
const BACK_POLL_MS = 1000
const LOG_LINES = 40
const LOG_BYTES = 64 * 1024

/** The last lines of a text file, `\r` bars reduced to their last state; empty where it can't be read. */
export function lastLines(path: string, count = LOG_LINES): string[] {
  let descriptor: number
  try {
    descriptor = openSync(path, 'r')
  } catch {
    return []
  }
  try {
    const { size } = fstatSync(descriptor)
    const data = Buffer.alloc(Math.min(size, LOG_BYTES))
    const read = readSync(descriptor, data, 0, data.length, size - data.length)
    const lines = data.subarray(0, read).toString().split('\n')
    // The first one is cut unless the file began there.
    if (size > data.length) lines.shift()
    return lines
      .map((line) => line.replace(/\r+$/, '').split('\r').at(-1) ?? '')
      .filter((line) => line.trim() !== '')
      .slice(-count)
      .map((line) => line.slice(0, 500))
  } catch {
    return []
  } finally {
    closeSync(descriptor)
  }
}

export function createServerWatch(options: {
  client: DriverClient
  clock: Clock
  serverProcess: Job['serverProcess']
  redact: (text: string) => string
}): ServerWatch {
  const { client, clock, serverProcess } = options

  async function answers(): Promise<string | undefined> {
    try {
      const { status } = await client.request('GET', '/v1/models', { timeoutMs: ANSWER_MS })
      return status < 500 ? undefined : `the server answers HTTP ${status}`
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  return {
    async findDeath() {
      const { identity } = serverProcess ?? {}
      let cause: string | undefined
      for (let attempt = 1; attempt <= TRIES; attempt += 1) {
        // The process table is the best witness: a dying server may still answer for a moment.
        if (identity && !isAlive(identity)) return `the server's process ${identity.pid} has ended`
        cause = await answers()
        if (cause === undefined && attempt > 1) return undefined
        if (attempt < TRIES) await clock.sleep(PAUSE_MS)
      }
      return cause
    },
    async whenBack(signal) {
      while ((await answers()) !== undefined) await clock.sleep(BACK_POLL_MS, signal)
    },
    logLines: () => (serverProcess?.logPath === undefined ? [] : lastLines(serverProcess.logPath).map(options.redact)),
  }
}
