import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPerson, type Person } from '../../test/program/speedgrid.ts'
import { startSshd, type TestSshd } from '../../test/sshd.ts'
import { startTruthServer, type Truth, type TruthServer } from '../harness.ts'

export const API_KEY = 'sk-campaign-0815-never-on-disk'
export const HOST = 'lab'
/** Tokens a second of one stream, as the stand-in sends them. */
export const STREAM_RATE = 100
const SLOTS = 32
/** Room for a run folder and a history, and soon filled. */
const SMALL_DISK = '48m'

/** Everything one case happens in: an account on a host behind a sshd of its own, a server with known truth, a person with a data folder. */
export interface Lab {
  root: string
  person: Person
  /** Of the host's account. */
  hostHome: string
  url: string
  readonly sshd: TestSshd
  readonly server: TruthServer
  /** Where both are small disks of their own (needs root). */
  hasSmallDisks: boolean
  truths(): Promise<Truth[]>
  stopSshd(): Promise<void>
  restartSshd(): Promise<void>
  restartServer(): Promise<void>
  dispose(): Promise<void>
}

export async function createLab({ smallDisks }: { smallDisks: boolean }): Promise<Lab> {
  const root = mkdtempSync(join(tmpdir(), 'sg-campaign-'))
  const mounts: string[] = []
  const hostHome = join(root, 'host')
  const person = createPerson({ KEY: API_KEY }, root)
  const settings = { slots: SLOTS, eventsPerSecond: SLOTS * STREAM_RATE }
  mkdirSync(hostHome, { recursive: true })
  mkdirSync(person.dataDir, { recursive: true, mode: 0o700 })
  if (smallDisks) {
    for (const path of [hostHome, person.dataDir]) {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SMALL_DISK},mode=700`, 'campaign', path])
      mounts.push(path)
    }
  }
  let sshd = await startSshd({ home: hostHome, keepFolder: true })
  let server = await startTruthServer(settings)
  const { port } = server
  const ended: Truth[] = []
  return {
    root,
    person,
    hostHome,
    url: `http://127.0.0.1:${String(port)}`,
    hasSmallDisks: smallDisks,
    get sshd() {
      return sshd
    },
    get server() {
      return server
    },
    truths: async () => [...ended, await server.truth()],
    stopSshd: () => sshd.stop(),
    async restartSshd() {
      sshd = await startSshd({ home: hostHome, keepFolder: true, port: sshd.port, folder: sshd.folder })
    },
    async restartServer() {
      server = await startTruthServer({ ...settings, port })
    },
    async dispose() {
      await sshd.stop()
      server.stop()
      for (const path of mounts) execFileSync('umount', ['-l', path])
      person.dispose()
      rmSync(sshd.folder, { recursive: true, force: true })
      rmSync(root, { recursive: true, force: true })
    },
  }
}
