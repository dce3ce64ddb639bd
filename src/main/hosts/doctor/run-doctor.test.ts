import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TestHost } from '../../../../test/lab-host.ts'
import { createTestHost } from '../../../../test/lab-host.ts'
import { SpeedgridError } from '../../../shared/model/error.ts'
import type { DoctorCheck } from '../types.ts'
import { DOCTOR_CHECKS } from '../types.ts'
import { systemNetwork } from './network.ts'
import { checkDisk, checkSession } from './place.ts'
import type { DoctorDeps } from './run-doctor.ts'
import { runDoctor } from './run-doctor.ts'
import { readSections } from '../inventory/sections.ts'
import type { HostReading } from '../inventory/parse.ts'

let host: TestHost
let server: net.Server
let port = 0
beforeEach(async () => {
  host = await createTestHost()
  server = net.createServer((socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as net.AddressInfo).port
})
afterEach(async () => {
  await host.link.dispose()
  await new Promise((resolve) => server.close(resolve))
})

const key = {
  hop: 'lab1',
  keyType: 'ssh-ed25519',
  fingerprint: 'SHA256:abc',
  state: 'known' as const,
  knownFingerprints: ['SHA256:abc'],
}

const deps = (patch: Partial<DoctorDeps> = {}): DoctorDeps => ({
  name: 'lab1',
  firstHop: () => ({ label: 'ann@127.0.0.1', hostName: '127.0.0.1', port, hops: 1 }),
  readHostKey: async () => key,
  connect: async () => host.link,
  network: systemNetwork,
  ...patch,
})
const by = (checks: DoctorCheck[]) =>
  Object.fromEntries(checks.map((check) => [check.check, check])) as Record<DoctorCheck['check'], DoctorCheck>

function equip() {
  host.program('path/vllm', 'echo 0.11.0')
  host.program('path/node', 'echo v22.1.0')
  host.program('path/python3', 'echo "Python 3.12.3"')
  host.program('path/nvidia-smi', 'echo "0, GPU-1, NVIDIA H200, 143771, 580.95.05, 700.00, 9.0, Disabled"')
}

describe('the doctor', () => {
  test('says a clock that is an hour ahead, and which way', async () => {
    equip()
    host.program('path/date', 'exec /bin/date -d "@$(( $(/bin/date +%s) + 3600 ))" "$@"')
    const { clock } = by(await runDoctor(deps()))
    expect(clock).toMatchObject({
      outcome: 'fail',
      evidence: expect.stringMatching(/(1 h 00 min|59 min 5\d s) ahead of ours/) as string,
    })
    expect(clock.remedy).toContain('set-ntp')
  })

  test('passes a good host, check by check in order, and leaves nothing on it', async () => {
    equip()
    const before = fs.readdirSync(host.home).sort()
    const seen: DoctorCheck[] = []
    const checks = await runDoctor(deps(), (check) => seen.push(check))
    expect(checks.map((check) => check.check)).toEqual([...DOCTOR_CHECKS])
    expect(seen).toEqual(checks)
    const found = by(checks)
    expect(checks.filter((check) => check.outcome !== 'pass' && check.check !== 'session')).toEqual([])
    expect(found.tcp.evidence).toContain('SSH-2.0-OpenSSH_9.6')
    expect(found.host_key.evidence).toContain('SHA256:abc')
    expect(found.authentication.evidence).toBe('connected as ann@127.0.0.1')
    expect(found.python.evidence).toContain('3.12.3')
    expect(found.vllm.evidence).toContain('vLLM 0.11.0')
    expect(found.gpus.evidence).toContain('NVIDIA H200')
    expect(found.node.evidence).toContain('22.1.0')
    expect(found.disk.evidence).toContain('free')
    expect(fs.readdirSync(host.home).sort()).toEqual(before)
  })

  test('a name without address fails, and skips what needs it with the reason', async () => {
    const network = { ...systemNetwork, resolve: async () => Promise.reject(new Error('getaddrinfo ENOTFOUND nowhere')) }
    const checks = await runDoctor(
      deps({ network, firstHop: () => ({ label: 'nowhere', hostName: 'nowhere', port: 22, hops: 2 }) }),
    )
    expect(checks[0]).toMatchObject({ outcome: 'fail', remedy: expect.stringContaining('VPN') })
    expect(checks[0]?.evidence).toBe('nowhere has no address: getaddrinfo ENOTFOUND nowhere (first of 2 machines on the way)')
    expect(
      checks.slice(1).every((check) => check.outcome === 'skipped' && check.evidence === 'not looked at, because dns failed'),
    ).toBe(true)
  })

  test('a closed port, and a port where something else listens', async () => {
    const closed = net.createServer()
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
    const free = (closed.address() as net.AddressInfo).port
    await new Promise((resolve) => closed.close(resolve))
    const at = (number: number) => deps({ firstHop: () => ({ label: 'x', hostName: '127.0.0.1', port: number, hops: 1 }) })
    expect(by(await runDoctor(at(free))).tcp).toMatchObject({ outcome: 'fail', remedy: expect.stringContaining('sshd') })
    const web = net.createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
    const checks = by(await runDoctor(at((web.address() as net.AddressInfo).port)))
    await new Promise((resolve) => web.close(resolve))
    expect(checks.tcp.evidence).toContain('HTTP/1.1 400 Bad Request')
    expect(checks.host_key.evidence).toBe('not looked at, because tcp failed')
  })

  test('an unknown key says how to trust it, a changed one warns', async () => {
    const unknown = by(await runDoctor(deps({ readHostKey: async () => ({ ...key, state: 'unknown', knownFingerprints: [] }) })))
    expect(unknown.host_key).toMatchObject({ outcome: 'fail', remedy: expect.stringContaining('speedgrid hosts trust lab1') })
    const changed = by(
      await runDoctor(deps({ readHostKey: async () => ({ ...key, state: 'changed', knownFingerprints: ['SHA256:old'] }) })),
    )
    expect(changed.host_key.evidence).toContain('not the known one (SHA256:old)')
    expect(changed.authentication.outcome).toBe('skipped')
  })

  test('a refused key is told with its cause and next step', async () => {
    const refused = new SpeedgridError('auth', 'No key was accepted.', {
      evidence: ['offered: id_ed25519'],
      nextStep: 'Add the key.',
    })
    const checks = by(await runDoctor(deps({ connect: async () => Promise.reject(refused) })))
    expect(checks.authentication).toEqual({
      check: 'authentication',
      outcome: 'fail',
      evidence: 'No key was accepted.\noffered: id_ed25519',
      remedy: 'Add the key.',
    })
    expect(checks.vllm.outcome).toBe('skipped')
  })

  test('what is missing on a host fails each by itself', async () => {
    host.program('path/node', 'echo v16.20.0')
    host.program(
      'path/nvidia-smi',
      'echo "NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver."; exit 9',
    )
    host.program('path/vllm', 'echo broken; exit 1')
    const checks = by(await runDoctor(deps()))
    expect(checks.gpus).toMatchObject({
      outcome: 'fail',
      evidence: expect.stringContaining('has failed'),
      remedy: expect.stringContaining('driver'),
    })
    expect(checks.shell.outcome).toBe('pass')
  })

  test('a shell that talks on every command is found', async () => {
    const talkative = {
      ...host.link,
      script: async (...args: Parameters<typeof host.link.script>) => {
        const result = await host.link.script(...args)
        return { ...result, stdout: `Welcome to lab1!\n${result.stdout}` }
      },
    }
    const checks = by(await runDoctor(deps({ connect: async () => talkative })))
    expect(checks.shell).toMatchObject({ outcome: 'fail', evidence: expect.stringContaining('Welcome to lab1!') })
  })

  test('a shell that runs nothing is found', async () => {
    const closed = {
      ...host.link,
      script: async () => ({ code: 1, stdout: 'This account is currently not available.\n', stderr: '' }),
    }
    const checks = by(await runDoctor(deps({ connect: async () => closed })))
    expect(checks.shell).toMatchObject({
      outcome: 'fail',
      evidence: 'a script ended with status 1: This account is currently not available.',
    })
  })

  test('a cache folder that is a file falls back to /tmp, and says so', async () => {
    fs.writeFileSync(path.join(host.home, '.cache'), '')
    const { disk } = by(await runDoctor(deps()))
    expect(disk.outcome).toBe('pass')
    expect(disk.evidence).toContain(`${host.home}/.cache is not a folder: run folders go to /tmp`)
  })
})

describe('disk and session, as hosts report them', () => {
  const session = (text: string) => readSections(`@@ session\n${text}\n`)('session')
  const disk = (freeBytes: number, kind = 'xfs') => ({ path: '/home/ann/.cache/speedgrid', freeBytes, kind })
  const reading = (disks: HostReading['disks']): HostReading => ({
    inventory: { hostName: 'lab1', os: 'linux', gpus: [], environments: [] },
    user: 'ann',
    disks,
    nodes: [],
    gpuVendors: [],
    has: [],
  })
  const GIB = 2 ** 30

  test('a full disk and a disk nobody may write to', () => {
    const full = reading({
      home: disk(GIB / 2),
      cache: disk(GIB / 2),
      tmp: { ...disk(GIB / 4), path: '/tmp/speedgrid-7' },
      models: disk(GIB),
    })
    expect(checkDisk(full, session('cache yes x\ntmp yes y'))).toMatchObject({
      outcome: 'fail',
      remedy: expect.stringContaining('Free at least 1.0 GiB'),
    })
    const readOnly = checkDisk(full, session('cache no /home/ann: Read-only file system\ntmp no /tmp: No space left on device'))
    expect(readOnly).toMatchObject({ outcome: 'fail', evidence: expect.stringContaining('Read-only file system') })
    const roomy = checkDisk(
      reading({ home: disk(90 * GIB), cache: disk(90 * GIB), tmp: disk(GIB), models: disk(5 * GIB) }),
      session('cache yes x\ntmp yes y'),
    )
    expect(roomy).toMatchObject({ outcome: 'pass', evidence: expect.stringContaining('little for a model') })
  })

  test('KillUserProcesses ends detached processes, unless the account is excluded', () => {
    const local = reading({ home: disk(GIB) })
    expect(checkSession(local, session('kill_user_processes yes logind\nkill_exclude root'))).toMatchObject({
      outcome: 'fail',
      remedy: expect.stringContaining('KillUserProcesses=no'),
    })
    expect(checkSession(local, session('kill_user_processes yes logind\nkill_exclude root ann')).outcome).toBe('pass')
    expect(checkSession(local, session('kill_user_processes no \nkill_exclude root')).outcome).toBe('pass')
  })

  test('a network home is named, and where state goes then', () => {
    const nfs = reading({ home: disk(GIB, 'nfs'), tmp: { ...disk(GIB), path: '/tmp/speedgrid-7' } })
    expect(checkSession(nfs, session('kill_user_processes no'))).toMatchObject({
      outcome: 'pass',
      evidence: expect.stringContaining('state files go to /tmp/speedgrid-7'),
    })
  })
})
