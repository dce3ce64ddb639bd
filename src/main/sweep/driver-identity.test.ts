import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLocalLink, type LocalLink } from '../../../test/local-link.ts'
import type { ProcessIdentity } from '../../shared/model/server.ts'
import { checkLocal, checkRemote } from './driver-identity.ts'

let link: LocalLink
let child: ChildProcess
let identity: ProcessIdentity
beforeEach(async () => {
  link = await createLocalLink()
  child = spawn('sleep', ['300'], { detached: true, stdio: 'ignore' })
  await new Promise((resolve) => child.once('spawn', resolve))
  const pid = child.pid ?? 0
  const fields = readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  identity = {
    hostName: hostname(),
    bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    pid,
    session: Number(fields[3]),
    startTicks: fields[19] ?? '',
  }
})
afterEach(async () => {
  child.kill('SIGKILL')
  await link.dispose()
})
const isAlive = () => child.exitCode === null && child.signalCode === null

test.skipIf(process.platform !== 'linux')(
  'a driver is one only by host name, boot, session and start time together',
  async () => {
    expect(await checkRemote(link, identity)).toMatchObject({ alive: true })
    const others: Partial<ProcessIdentity>[] = [{ bootId: 'before' }, { session: 1 }, { startTicks: '1' }]
    for (const change of others) {
      expect(await checkRemote(link, { ...identity, ...change }, 'KILL')).toMatchObject({ alive: false })
      expect(isAlive()).toBe(true)
    }
    // On another machine nothing may be concluded from here: neither that it lives nor that it is gone.
    await expect(checkRemote(link, { ...identity, hostName: 'elsewhere' }, 'KILL')).rejects.toMatchObject({
      code: 'conflict',
      evidence: [expect.stringContaining('it was started on elsewhere') as string],
    })
    expect(isAlive()).toBe(true)
    const ended = new Promise((resolve) => child.once('exit', resolve))
    expect(await checkRemote(link, identity, 'TERM')).toMatchObject({ alive: true })
    await ended
    expect(await checkRemote(link, identity)).toMatchObject({ alive: false })
  },
)

test.skipIf(process.platform !== 'linux')('a driver beside an engine of another machine is none of ours', () => {
  expect(checkLocal(identity)).toMatchObject({ alive: true })
  expect(checkLocal({ ...identity, bootId: 'before' })).toMatchObject({ alive: false })
  const elsewhere = checkLocal({ ...identity, hostName: 'elsewhere', bootId: 'another' })
  expect(elsewhere).toEqual({ alive: false, evidence: `it was started on elsewhere, this is ${hostname()}` })
})
