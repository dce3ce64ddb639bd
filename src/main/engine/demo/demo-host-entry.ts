import { connect } from 'node:net'
import { SpeedgridError } from '../../../shared/model/error.ts'
import { isRunOver, RUN_STATES } from '../../../shared/model/states.ts'
import type { Engine } from '../types.ts'
import type { DemoHostReady } from './types.ts'

type DemoParts = Pick<Engine, 'hosts' | 'store' | 'ssh'>

/** Puts the machine on the host list for as long as the demo lasts, and trusts the key it said itself. Returns the host's name. */
export async function addDemoHost(engine: DemoParts, ready: DemoHostReady): Promise<string> {
  await removeDeadDemoHosts(engine)
  const target = `${ready.user}@${ready.address}:${ready.port}`
  const options = { identityFile: ready.clientKeyPath, demo: true }
  const taken = new Set(engine.hosts.list().map((host) => host.name))
  const name = taken.has('demo') ? `demo-${ready.port}` : 'demo'
  engine.hosts.add(name, target, options)
  try {
    const key = await engine.hosts.readHostKey(name)
    if (key.fingerprint !== ready.hostKeyFingerprint) {
      throw new SpeedgridError('host_key_changed', 'Something else answers at the address of the demo machine.', {
        evidence: [`expected ${ready.hostKeyFingerprint}`, `offered  ${key.fingerprint}`],
      })
    }
    if (key.state !== 'known') await engine.hosts.trust(name, ready.hostKeyFingerprint)
    return name
  } catch (error) {
    removeDemoHost(engine, name)
    throw error
  }
}

/** Takes the entry away, and the key that was recorded for it: the next machine has another one. */
export function removeDemoHost(engine: Pick<Engine, 'hosts' | 'ssh'>, name: string): void {
  const host = engine.hosts.list().find((one) => one.name === name)
  if (host === undefined) return
  engine.hosts.remove(name)
  const recorded = `[${host.address}]:${String(host.port ?? 22)}`
  for (const key of engine.ssh.recordedKeys()) if (key.host === recorded) engine.ssh.forgetKey(key.line)
}

/** A demo that was killed leaves its entry; nobody answers there any more. */
export async function removeDeadDemoHosts(engine: DemoParts): Promise<void> {
  for (const host of engine.hosts.list().filter((candidate) => candidate.demo)) {
    if (host.port !== undefined && (await answers(host.address, host.port))) continue
    removeDemoHost(engine, host.name)
    endRunsOf(engine, host.name)
  }
}

/** A run whose machine is gone for good can't be resumed. One that another engine still holds isn't touched. */
export function endRunsOf({ store }: Pick<Engine, 'store'>, host: string): void {
  const states = RUN_STATES.filter((state) => !isRunOver(state))
  for (const run of store.runs.list({ hosts: [host], states })) {
    if (!run.demo || !store.runs.takeLease(run.id)) continue
    store.runs.setState(run.id, 'stopped', 'the demo machine is gone')
    store.runs.releaseLease(run.id)
  }
}

function answers(address: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, timeout: 2000 })
    const end = (yes: boolean) => {
      socket.destroy()
      resolve(yes)
    }
    socket.once('connect', () => end(true))
    socket.once('timeout', () => end(false))
    socket.once('error', () => end(false))
  })
}
