import { readJson } from '../../../shared/bytes/index.ts'
import { SpeedgridError } from '../../../shared/model/error.ts'
import type { Job } from '../../../shared/model/job.ts'
import { errorCodeOf } from '../stream/http-errors.ts'
import type { DriverClient, HttpAnswer } from '../stream/types.ts'
import type { Clock } from './clock.ts'
import { isAlive } from './identity.ts'
import { lastLines } from './last-lines.ts'

/** Why nothing comes: the server is dead, or our own end of the tunnel to it is. */
type Silence = { kind: 'server'; cause: string } | { kind: 'link'; cause: string }

export interface ServerWatch {
  /** What is wrong, or undefined where the server answers. Takes its time: a dying server may still answer for a moment. */
  findDeath(): Promise<Silence | undefined>
  /** One look. `servedModel`: what it has to serve. */
  look(servedModel?: string): Promise<Silence | undefined>
  /** Another process answers in place of the one that was known. */
  forgetProcess(): void
  /** Last lines of the server's log where the driver can see it. */
  logLines(): string[]
}

const TRIES = 4
const PAUSE_MS = 300
const ANSWER_MS = 5000
/** A gateway without its server, or a server that isn't up yet; any other status is a living server's answer. */
const AWAY = new Set([502, 503, 504])

function servedModels({ text }: HttpAnswer): string[] | undefined {
  try {
    const body = readJson(text) as { data?: { id?: unknown }[] }
    return body.data?.map((card) => String(card.id))
  } catch {
    return undefined
  }
}

export function createServerWatch(options: {
  client: DriverClient
  clock: Clock
  serverProcess: Job['serverProcess']
  /** The server is reached through a socket that our own engine listens at. */
  hasTunnel: boolean
  redact: (text: string) => string
}): ServerWatch {
  const { client, clock, hasTunnel } = options
  let { serverProcess } = options

  function silence(error: unknown): Silence | undefined {
    if (error instanceof SpeedgridError && error.code === 'file_limit') return undefined
    const code = error instanceof SpeedgridError ? errorCodeOf(error.cause) : ''
    if (hasTunnel && (code === 'ECONNREFUSED' || code === 'ENOENT')) {
      return { kind: 'link', cause: `the engine's end of the tunnel is gone (${code})` }
    }
    return { kind: 'server', cause: error instanceof Error ? error.message : String(error) }
  }

  async function look(servedModel?: string): Promise<Silence | undefined> {
    try {
      const models = await client.request('GET', '/v1/models', { timeoutMs: ANSWER_MS })
      if (AWAY.has(models.status)) return { kind: 'server', cause: `the server answers HTTP ${models.status}` }
      const served = servedModel === undefined ? undefined : servedModels(models)
      if (servedModel !== undefined && served?.includes(servedModel) === false) {
        return { kind: 'server', cause: `the server now serves ${served.join(', ')}, not ${servedModel}` }
      }
      // It answers; that it fails is for whoever asks it.
      if (models.status >= 500) return undefined
      // vLLM's web server answers for some seconds after its engine has died; its health check doesn't.
      const health = await client.request('GET', '/health', { timeoutMs: ANSWER_MS })
      return health.status < 500
        ? undefined
        : { kind: 'server', cause: `the server's health check answers HTTP ${health.status}` }
    } catch (error) {
      return silence(error)
    }
  }

  return {
    look,
    async findDeath() {
      const { identity } = serverProcess ?? {}
      let found: Silence | undefined
      for (let attempt = 1; attempt <= TRIES; attempt += 1) {
        // The process table is the best witness.
        if (identity && !isAlive(identity)) return { kind: 'server', cause: `the server's process ${identity.pid} has ended` }
        found = await look()
        if (found === undefined && attempt > 1) return undefined
        if (attempt < TRIES) await clock.sleep(PAUSE_MS)
      }
      return found
    },
    forgetProcess() {
      serverProcess = undefined
    },
    logLines: () => (serverProcess?.logPath === undefined ? [] : lastLines(serverProcess.logPath).map(options.redact)),
  }
}
