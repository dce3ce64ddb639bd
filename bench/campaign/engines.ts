import { type ChildProcess, fork } from 'node:child_process'
import { resolve } from 'node:path'
import { planSchema } from '../../src/shared/model/plan.ts'
import type { Running } from '../../test/program/speedgrid.ts'
import type { Case, Place } from './cases.ts'
import { API_KEY, HOST, type Lab } from './lab.ts'

/** Few short cells; with a prefill, a warm-up and a scout, so that every place is passed. */
const CONTEXTS = [0, 2048]
const CONCURRENCY = [1, 4]
export const CELLS = CONTEXTS.length * CONCURRENCY.length
const SECONDS = 0.7
/** 4.3 s: twice what an engine waits between two acks. */
const ACK_LIMIT_HOURS = 0.0012
const ENGINE_HOST = resolve(import.meta.dirname, '../../out/main/engine-host.js')

export interface RunningEngine {
  child: ChildProcess
  /** Resolves when the place was reached, or the engine has ended. */
  reached(place: Place, nth: number): Promise<void>
  done: Promise<unknown>
  text(): string
}

function planOf({ kind, driver }: Case) {
  return {
    contexts: CONTEXTS,
    concurrency: CONCURRENCY,
    prefillContexts: [2048],
    seconds: SECONDS,
    settleSeconds: 0,
    maxOutputTokens: 200,
    ...(driver === 'local' ? {} : { driver }),
    onServerGone: 'wait' as const,
    ...(kind === 'ack-limit' ? { ackLimitHours: ACK_LIMIT_HOURS } : {}),
  }
}

/** The command line: a sweep, told as JSON lines. */
export function startSweep(lab: Lab, one: Case): RunningEngine {
  const plan = planOf(one)
  const target = one.driver === 'local' ? ['--url', lab.url] : ['--host', HOST]
  const words = `--contexts ${plan.contexts.join(',')} --concurrency ${plan.concurrency.join(',')} --prefill-contexts 2048
    --seconds ${String(SECONDS)} --settle 0 --max-output ${String(plan.maxOutputTokens)} --on-server-gone wait --api-key-env KEY --events
    ${one.driver === 'local' ? '' : `--driver ${one.driver}`} ${one.kind === 'ack-limit' ? `--ack-limit ${String(ACK_LIMIT_HOURS)}` : ''}`
    .split(/\s+/)
    .filter((word) => word !== '')
  return watched(lab.person.start(['sweep', ...target, ...words]))
}

export const resumeLast = (lab: Lab): RunningEngine =>
  watched(lab.person.start(['resume', 'last', '--api-key-env', 'KEY', '--events']))

function watched(running: Running): RunningEngine {
  const ended = running.done.then(() => undefined)
  return {
    child: running.child,
    done: running.done,
    text: () => running.stderr(),
    reached: (place, nth) => Promise.race([ended, reach(() => running.stdout(), running, place, nth)]),
  }
}

/** Spool lines that say that a place was reached. */
const SIGNS: Record<Exclude<Place, 'start'>, RegExp> = {
  prepare: /"kind":"state","state":"preparing"/,
  prefill: /"kind":"planned"/,
  warmup: /"phase":"warmup"/,
  scout: /"phase":"scout"/,
  fill: /"phase":"fill"/,
  window: /"phase":"window"/,
  drain: /"phase":"drain"/,
  end: /"kind":"attempt"/,
}

/** The last cell's attempt for `end`; a place that isn't passed so often counts as reached with the last attempt but one. */
async function reach(text: () => string, running: Running, place: Place, nth: number): Promise<void> {
  if (place === 'start') return
  const wanted = place === 'end' ? CELLS : place === 'prepare' || place === 'prefill' ? 1 : nth
  for (;;) {
    const lines = text().split('\n')
    if (lines.filter((line) => SIGNS[place].test(line)).length >= wanted) return
    if (lines.filter((line) => line.includes('"kind":"attempt"')).length >= CELLS - 1 && place !== 'end') return
    if (running.child.exitCode !== null) return
    await new Promise((done) => setTimeout(done, 20))
  }
}

/** The engine behind the window: the same process that Electron starts, with its contract over messages. */
export function startWindowEngine(lab: Lab, one: Case): RunningEngine {
  const child = fork(ENGINE_HOST, ['--data-dir', lab.person.dataDir], {
    env: lab.person.env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let said = ''
  let frames = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text))
  child.on('message', (message: { data?: string }) => (frames += `${message.data ?? ''}\n`))
  const target = one.driver === 'local' ? { kind: 'url', url: lab.url, apiKey: API_KEY } : { kind: 'server', host: HOST }
  const send = (frame: unknown) => child.send({ connection: 1, data: JSON.stringify(frame) }, () => undefined)
  child.send({ connection: 1, open: true })
  const input = { target, plan: planSchema.parse(planOf(one)) }
  send({ id: 1, method: 'mutation', params: { path: 'sweeps.start', input } })
  const done = new Promise((ended) => child.once('exit', ended))
  const started = async () => {
    while (!frames.includes('"id":1,') && child.exitCode === null) await new Promise((next) => setTimeout(next, 20))
  }
  return {
    child,
    done,
    text: () => `${said}${frames.slice(0, 2000)}`,
    // What it tells is for screens: where exactly it is killed is left to the delay.
    reached: async (_place, nth) => {
      await Promise.race([started(), done])
      await new Promise((next) => setTimeout(next, nth * 700))
    },
  }
}
