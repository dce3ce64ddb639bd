import { type ErrorInfo, SpeedgridError } from '../../shared/model/error.ts'
import type { Server } from '../../shared/model/server.ts'
import type { HostLink } from '../ssh/types.ts'
import type { Clock } from './clock.ts'
import { get, readModels } from './http.ts'
import { viewListener } from './listener.ts'
import { createLogFacts, type LogFacts } from './log-facts.ts'
import { createLineSplitter } from './log-lines.ts'
import { createFileReader } from './log-tail.ts'
import { createPhaseTracker, readPhase } from './phases.ts'
import { type SessionView, viewSession } from './session.ts'
import type { LaunchEvent } from './types.ts'

interface WatchInput {
  link: HostLink
  server: Server
  logPath: string
  apiKey: string
  clock: Clock
  timeoutMs: number
  pollMs: number
  signal?: AbortSignal
  /** Takes secrets out of log lines. */
  redact: (text: string) => string
  onEvent: (event: LaunchEvent) => void
}

export interface WatchResult {
  state: 'ready' | 'exited' | 'refused' | 'timeout' | 'aborted'
  phases: { phase: string; atSeconds: number }[]
  facts: LogFacts
  /** Log lines without bars; of a long log the beginning and the end. */
  lines: string[]
  exit?: SessionView['exit']
  /** `refused`: why it can't be used although it answers. */
  error?: ErrorInfo
}

const KEPT_LINES = 6_000
// A server that is healthy but can't list its models for so long will not get better.
const MODELS_GRACE_MS = 60_000

/**
 * Watches log, process and /health together until the server answers with our key, has ended, or the time is over. Throws `link_lost`
 * where the way to the host is gone for good; the server itself goes on then.
 */
export async function watchStart(input: WatchInput): Promise<WatchResult> {
  const { link, server, clock, signal } = input
  const { identity } = server
  if (identity === undefined) throw new SpeedgridError('internal', 'a server without an identity was watched')
  const begun = clock.nowMs()
  const log = followLog(input, begun)
  let healthyAt: number | undefined

  const result = (state: WatchResult['state'], more: Partial<WatchResult> = {}): WatchResult => ({
    state,
    phases: log.phases.seen(),
    facts: log.facts,
    lines: log.lines,
    ...more,
  })
  for (;;) {
    if (signal?.aborted === true) return result('aborted')
    await log.read()
    const view = await viewSession(link, server.id, identity, 'leader')
    if (view.state !== 'ours') {
      await log.read()
      log.end()
      return result('exited', view.exit === undefined ? {} : { exit: view.exit })
    }
    const health = await get(link, server, '/health')
    if (health.state === 'answered' && health.status === 200) {
      healthyAt ??= clock.nowMs()
      const check = await checkModels(input)
      if (check === 'ready') {
        await log.read()
        return result('ready')
      }
      if (check !== 'wait') return result('refused', { error: check })
      if (clock.nowMs() - healthyAt > MODELS_GRACE_MS) return result('refused', { error: noModels() })
    }
    if (clock.nowMs() - begun > input.timeoutMs) return result('timeout')
    await clock.sleep(input.pollMs, signal)
  }
}

/** /v1/models with our key; before the key is sent, the socket must be one of the server's own. */
async function checkModels({ link, server, apiKey }: WatchInput): Promise<'ready' | 'wait' | ErrorInfo> {
  const listener = await findStranger(link, server)
  if (listener === 'none') return 'wait'
  if (listener !== 'ours') return listener
  const models = await get(link, server, '/v1/models', { apiKey })
  if (models.state === 'refused') return 'wait'
  if (models.status === 401 || models.status === 403) {
    return {
      code: 'server_failed',
      cause: 'the server wants another key than the one it was given',
      evidence: [`GET /v1/models: ${String(models.status)}`],
      nextStep: 'Remove api-key from the --config file: every server gets a key of its own.',
    }
  }
  return models.status === 200 && readModels(models.body) !== undefined ? 'ready' : 'wait'
}

async function findStranger(link: HostLink, server: Server): Promise<ErrorInfo | 'ours' | 'none'> {
  const view = await viewListener(link, server)
  if (view.state !== 'other') return view.state
  return {
    code: 'server_failed',
    cause: `the port is in use by another process: what answers on port ${String(server.port)} is not the server that was started`,
    evidence: [
      `port ${String(server.port)} is listened on by ${view.who ?? 'somebody else'}, not by this server; its key was not sent`,
    ],
    nextStep: 'Leave --port out: a free one is chosen.',
  }
}

function noModels(): ErrorInfo {
  return {
    code: 'server_failed',
    cause: 'the server is healthy but does not list its models',
    evidence: ['GET /health: 200, GET /v1/models: no list'],
    nextStep: 'See whether the command starts an OpenAI-compatible server.',
  }
}

function followLog(input: WatchInput, begun: number) {
  const { link, clock, onEvent, redact } = input
  const lines: string[] = []
  const phases = createPhaseTracker()
  const facts = createLogFacts()
  const reader = createFileReader(input.logPath)
  const splitter = createLineSplitter((raw) => {
    const line = redact(raw)
    facts.push(line)
    const hit = phases.push(line, (clock.nowMs() - begun) / 1000)
    const isBar = readPhase(line)?.progress !== undefined || /\d%\|/.test(line)
    if (!isBar) {
      lines.push(line)
      // The beginning has the cause, the end the last word.
      if (lines.length > KEPT_LINES) lines.splice(KEPT_LINES / 2, KEPT_LINES / 4)
      onEvent({ kind: 'log', line })
    }
    if (hit !== undefined) onEvent({ kind: 'phase', ...hit })
  })
  const read = async () => {
    try {
      await reader.read(link, splitter.push)
    } catch (error) {
      if (!(error instanceof SpeedgridError) || error.code !== 'not_found') throw error
    }
  }
  return { lines, phases, facts, read, end: splitter.end }
}
