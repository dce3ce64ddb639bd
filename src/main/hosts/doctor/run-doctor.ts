import type { HostLink } from '../../ssh/types.ts'
import type { HostReading } from '../inventory/parse.ts'
import { readInventory } from '../inventory/read-inventory.ts'
import { readSections } from '../inventory/sections.ts'
import type { DoctorCheck } from '../types.ts'
import { DOCTOR_CHECKS } from '../types.ts'
import type { Network } from './network.ts'
import { checkClock } from './clock.ts'
import { checkDisk, checkSession } from './place.ts'
import { SESSION_SCRIPT } from './script.ts'
import { checkShell } from './shell.ts'
import { checkGpus, checkNode, checkPython, checkVllm } from './software.ts'
import type { HostKey, Verdict } from './types.ts'
import type { FirstHop } from './way.ts'
import { checkDns, checkHostKey, checkTcp, failedBy } from './way.ts'

export interface DoctorDeps {
  name: string
  /** Throws usage where the SSH configuration can't be followed. */
  firstHop(): FirstHop
  readHostKey(): Promise<HostKey>
  connect(): Promise<HostLink>
  /** Paths of vllm executables to look at first. */
  vllm?: readonly string[]
  network: Network
}

type CheckName = DoctorCheck['check']

/** Without these nothing that follows can be looked at. */
const NEEDED: readonly CheckName[] = ['dns', 'tcp', 'host_key', 'authentication', 'shell']

/** All checks in their order; a needed one that fails makes those behind it `skipped`, with the reason. */
export async function runDoctor(deps: DoctorDeps, onCheck?: (check: DoctorCheck) => void): Promise<DoctorCheck[]> {
  const checks: DoctorCheck[] = []
  const looks = createLooks(deps)
  let blocked: CheckName | undefined
  for (const check of DOCTOR_CHECKS) {
    const verdict: Verdict =
      blocked === undefined
        ? await looks[check]()
        : { outcome: 'skipped', evidence: `not looked at, because ${blocked.replace('_', ' ')} failed` }
    const done = { check, ...verdict }
    checks.push(done)
    onCheck?.(done)
    if (verdict.outcome === 'fail' && NEEDED.includes(check)) blocked ??= check
  }
  return checks
}

function createLooks(deps: DoctorDeps): Record<CheckName, () => Promise<Verdict>> {
  const link = once(() => deps.connect())
  const reading = once(async () => readInventory(await link(), deps.vllm))
  const session = once(async () =>
    readSections((await (await link()).script(SESSION_SCRIPT, [], { timeoutMs: 30_000 })).stdout)('session'),
  )
  const hop = (look: (first: FirstHop) => Promise<Verdict>) => async () => {
    try {
      return await look(deps.firstHop())
    } catch (error) {
      return failedBy(error, 'Correct the Host entry in ~/.ssh/config.')
    }
  }
  const read = (look: (reading: HostReading) => Verdict | Promise<Verdict>) => async () => {
    try {
      return await look(await reading())
    } catch (error) {
      return failedBy(error, 'Run the doctor again; if it stays so, look at the host itself.')
    }
  }
  return {
    dns: hop((first) => checkDns(first, deps.network)),
    tcp: hop((first) => checkTcp(first, deps.network)),
    host_key: () => checkHostKey(deps.name, () => deps.readHostKey()),
    authentication: () => checkAuthentication(deps, link),
    shell: async () => checkShell(await link()),
    python: read(checkPython),
    vllm: read(checkVllm),
    gpus: read(checkGpus),
    disk: read(async (host) => checkDisk(host, await session())),
    node: read(checkNode),
    session: read(async (host) => checkSession(host, await session())),
    clock: async () => checkClock(deps.name, link),
  }
}

async function checkAuthentication(deps: DoctorDeps, link: () => Promise<HostLink>): Promise<Verdict> {
  try {
    await link()
    return { outcome: 'pass', evidence: `connected as ${deps.firstHop().label}` }
  } catch (error) {
    return failedBy(
      error,
      'Check the user name and the key (IdentityFile), and that the key is in ~/.ssh/authorized_keys on the host.',
    )
  }
}

/** Work that several checks share is done once, also when it fails. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  return () => (running ??= work())
}
