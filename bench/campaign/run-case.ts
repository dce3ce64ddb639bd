import { setTimeout as delay } from 'node:timers/promises'
import { isRunOver, type RunState } from '../../src/shared/model/states.ts'
import type { Case } from './cases.ts'
import { resumeLast, type RunningEngine, startSweep, startWindowEngine } from './engines.ts'
import { type Fault, judge, judgeAfterBlow } from './judge.ts'
import { createLab, HOST, type Lab } from './lab.ts'
import { signal } from './processes.ts'
import { strike } from './strike.ts'

const MOST_RESUMES = 5
/** Of an engine that should have ended by itself. */
const ENGINE_LIMIT_MS = 90_000

export interface Verdict {
  one: Case
  faults: Fault[]
  seconds: number
  resumes: number
}

/** One sweep, one blow, resumed until it is over, judged. */
export async function runCase(one: Case): Promise<Verdict> {
  const startedMs = performance.now()
  const lab = await createLab({ smallDisks: one.kind.endsWith('disk-full') })
  let resumes = 0
  const faults: Fault[] = []
  try {
    await addHost(lab, one)
    const engine = one.kind === 'window-engine-kill' ? startWindowEngine(lab, one) : startSweep(lab, one)
    await engine.reached(one.place, one.nth)
    await delay(one.delayMs)
    await strike(lab, one, engine)
    let last = await untilEnded(engine, faults)
    faults.push(...(await judgeAfterBlow(lab)))
    while (resumes < MOST_RESUMES && (await isResumable(lab))) {
      resumes += 1
      last = await untilEnded(resumeLast(lab), faults)
    }
    // The blow came before there was a run: it was refused, and is made now.
    if (await hasNoRun(lab)) {
      // A server that came back is another process: it is adopted anew.
      if (one.driver !== 'local') await adopt(lab)
      last = await untilEnded(startSweep(lab, one), faults)
    }
    faults.push(...(await judge(lab, last)))
  } catch (error) {
    faults.push({
      fault: 'wrong state',
      evidence: `the campaign itself: ${error instanceof Error ? error.message : String(error)}`,
    })
  } finally {
    await lab.dispose()
  }
  return { one, faults, resumes, seconds: (performance.now() - startedMs) / 1000 }
}

async function adopt({ person, server }: Lab): Promise<void> {
  await person.json(['adopt', HOST, '--port', String(server.port)])
}

async function addHost(lab: Lab, { driver }: Case): Promise<void> {
  if (driver === 'local') return
  const { person, sshd } = lab
  const target = `${sshd.user}@127.0.0.1:${String(sshd.port)}`
  await person.json(['hosts', 'add', HOST, target, '--identity', sshd.clientKeyPath])
  await person.json(['hosts', 'trust', HOST, '--fingerprint', sshd.hostKeyFingerprint])
  await adopt(lab)
}

async function untilEnded(engine: RunningEngine, faults: Fault[]): Promise<{ exitCode: number | null; text: string }> {
  const waiting = new AbortController()
  const limit = delay(ENGINE_LIMIT_MS, false, { signal: waiting.signal }).catch(() => false)
  const ended = await Promise.race([engine.done.then(() => true), limit])
  waiting.abort()
  if (!ended) {
    faults.push({ fault: 'wrong state', evidence: `an engine did not end in 90 s: ${engine.text().slice(-300)}` })
    signal(engine.child.pid ?? -1, 'SIGKILL')
    await engine.done
  }
  return { exitCode: engine.child.exitCode, text: engine.text() }
}

async function states(lab: Lab): Promise<RunState[]> {
  const { runs } = await lab.person.json<{ runs: { state: RunState }[] }>(['runs'])
  return runs.map(({ state }) => state)
}
const hasNoRun = async (lab: Lab) => (await states(lab)).length === 0
const isResumable = async (lab: Lab) => (await states(lab)).some((state) => !isRunOver(state))
