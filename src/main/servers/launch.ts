import { expandHome } from '../../shared/command/index.ts'
import { type ErrorInfo, SpeedgridError } from '../../shared/model/error.ts'
import type { Inventory } from '../../shared/model/host.ts'
import type { ProcessIdentity, Server } from '../../shared/model/server.ts'
import { createRedactor, type Redactor, secretParts } from '../../shared/secrets/index.ts'
import type { HostLink } from '../ssh/types.ts'
import type { Clock } from './clock.ts'
import { endSession } from './end-session.ts'
import { diagnose } from './failures.ts'
import { readKnown } from './known.ts'
import { preflight } from './preflight.ts'
import { type Prepared, prepareLaunch } from './prepare.ts'
import { watchStart, type WatchResult } from './ready.ts'
import { makeOwnFolder, removeOwnFolder } from './remote-folder.ts'
import { scriptFailed } from './remote-script.ts'
import { defaultEnvironment } from './start-argv.ts'
import { hiddenWords, secretLines, startCommand, startScript } from './start-script.ts'
import { readIdentity, type StateFile, writeState } from './state-file.ts'
import type { LaunchEvent, LaunchOutcome, LaunchRequest } from './types.ts'

interface LaunchDeps {
  link: HostLink
  inventory: () => Promise<Inventory>
  clock: Clock
  pollMs: number
  /** Called with the key as soon as there is one, so that this process need not read it back. */
  onKey: (server: Server, apiKey: string) => void
}

/**
 * Starts a server and watches it until it is ready or has failed. Throws `usage`, `no_vllm`, `read_only`, `disk_full` before anything runs,
 * `interrupted` after the signal (what was started is gone then), `link_lost` where the way to the host broke (the server goes on).
 */
export async function launchServer(
  deps: LaunchDeps,
  request: LaunchRequest,
  onEvent: (event: LaunchEvent) => void = () => undefined,
): Promise<LaunchOutcome> {
  const begun = deps.clock.nowMs()
  const { link } = deps
  stopIfAborted(request.signal)
  const prepared = await prepareLaunch(link, deps.inventory, request)
  stopIfAborted(request.signal)
  const { folder } = prepared
  let script: string
  try {
    script = await writeFiles(link, prepared)
  } catch (error) {
    await removeOwnFolder(link, folder).catch(() => undefined)
    throw error
  }
  const server = { ...prepared.server, identity: await start(deps, prepared, script) }
  const state: StateFile = { schema: 'speedgrid.server/1', server, addedFlags: prepared.added }
  let watched: WatchResult
  try {
    await writeState(link, folder, state)
    deps.onKey(server, prepared.apiKey)
    onEvent({ kind: 'started', server })
    for (const note of prepared.notes) onEvent({ kind: 'log', line: `speedgrid: ${note}` })
    watched = await watchStart({
      link,
      server,
      logPath: `${folder}/server.log`,
      apiKey: prepared.apiKey,
      clock: deps.clock,
      timeoutMs: prepared.timeoutMs,
      pollMs: deps.pollMs,
      redact: redactorOf(prepared).text,
      onEvent,
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    })
  } catch (error) {
    if (error instanceof SpeedgridError && error.code === 'link_lost') throw linkLost(error, server)
    await cleanUp(deps, server, folder).catch(() => undefined)
    throw error
  }
  const seconds = () => (deps.clock.nowMs() - begun) / 1000
  if (watched.state === 'ready') {
    const ready: StateFile = { ...state, readyAt: new Date().toISOString() }
    await writeState(link, folder, ready)
    const known = await readKnown(link, server, watched.facts.read())
    return { server, state: 'ready', seconds: seconds(), phases: watched.phases, known }
  }
  const left = await cleanUp(deps, server, folder)
  if (watched.state === 'aborted') throw interrupted(left)
  const error = await explain(deps, prepared, watched)
  if (left.length > 0) error.evidence.push(...left)
  return { server, state: 'failed', seconds: seconds(), phases: watched.phases, known: watched.facts.read(), error }
}

/** Knows every secret of this launch: those of the environment, and those that had to stay in the argument list. */
function redactorOf({ command, argv }: Prepared): Redactor {
  const words = [...command.secrets].map(([name, value]) => `${name}=${value}`)
  return createRedactor([...command.secrets.values(), ...secretParts([...words, ...argv])])
}

/** The state file is there before the process is: an engine that dies in between leaves nothing that can't be found. */
async function writeFiles(link: HostLink, prepared: Prepared): Promise<string> {
  const { folder, server, command, base, check } = prepared
  await makeOwnFolder(link, folder)
  const script = startScript({
    id: server.id,
    binFolders: check.binFolders,
    argv: prepared.argv,
    hidden: prepared.hidden,
    environment: [
      ...defaultEnvironment(prepared.timeoutMs),
      ...command.environment.map(({ name, value }) => ({ name, value: expandHome(value, base.home) })),
    ],
  })
  await link.files.write(`${folder}/start.sh`, script, 0o600)
  await writeState(link, folder, { schema: 'speedgrid.server/1', server, addedFlags: prepared.added })
  return script
}

async function start(deps: LaunchDeps, prepared: Prepared, script: string): Promise<ProcessIdentity> {
  const { link } = deps
  const { folder, server, command } = prepared
  const stdin = secretLines(new Map([...command.secrets, ...hiddenWords(prepared.argv, prepared.hidden)]))
  try {
    const result = await link.exec(startCommand(folder, script), { stdin, timeoutMs: 60_000 })
    const identity = readIdentity(result.stdout.trim().split('\n').at(-1) ?? '')
    if (identity !== undefined) return identity
    throw scriptFailed(link, 'starting the server', result)
  } catch (error) {
    // It may run all the same: the start script has written down who it is before anything else.
    const line = await link.files.read(`${folder}/identity`).catch(() => Buffer.from(''))
    const identity = readIdentity(line.toString('utf8').trim())
    if (identity !== undefined) await cleanUp(deps, { ...server, identity }, folder).catch(() => undefined)
    else await removeOwnFolder(link, folder).catch(() => undefined)
    throw error
  }
}

/** Ends what was started and removes its folder. Returns what is left, in words. */
async function cleanUp(deps: LaunchDeps, server: Server, folder: string): Promise<string[]> {
  const { link, clock } = deps
  if (server.identity === undefined) return []
  const ended = await endSession(link, server.id, server.identity, {
    clock,
    leaderGraceMs: 5_000,
    restGraceMs: 5_000,
    pollMs: Math.min(500, deps.pollMs),
  })
  if (ended.left.length === 0) await removeOwnFolder(link, folder)
  return ended.left.map(({ pid, command }) => `still there: process ${String(pid)} (${command}); its folder is ${folder}`)
}

async function explain(deps: LaunchDeps, prepared: Prepared, watched: WatchResult): Promise<ErrorInfo> {
  if (watched.error !== undefined) return watched.error
  const { model } = prepared.command
  if (watched.state === 'timeout') {
    return {
      code: 'server_failed',
      cause: `the server was not ready after ${String(Math.round(prepared.timeoutMs / 1000))} s and was stopped`,
      evidence: watched.lines.slice(-5),
      nextStep: 'Give it more time, or start faster: --enforce-eager, a warm cache, the model downloaded beforehand.',
    }
  }
  const before = prepared.check.oomKills
  const now = before === undefined ? undefined : (await preflight(deps.link, 'sh', undefined).catch(() => undefined))?.oomKills
  return diagnose({
    lines: watched.lines,
    ...(watched.exit === undefined ? {} : { exit: watched.exit }),
    ...(before === undefined || now === undefined ? {} : { oomKills: now - before }),
    ...(model === undefined ? {} : { model: expandHome(model, prepared.base.home) }),
  })
}

function stopIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw interrupted([])
}

function interrupted(left: string[]): SpeedgridError {
  const cause = left.length === 0 ? 'the launch was interrupted; nothing of it is left' : 'the launch was interrupted'
  return new SpeedgridError('interrupted', cause, { evidence: left })
}

function linkLost(error: SpeedgridError, server: Server): SpeedgridError {
  return new SpeedgridError('link_lost', `${error.message}; the server ${server.id} goes on starting`, {
    evidence: error.evidence,
    nextStep: `When ${server.host} is reachable again: speedgrid servers ${server.host}`,
    from: error,
  })
}
