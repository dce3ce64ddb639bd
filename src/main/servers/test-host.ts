import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { copyFile, mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { createLocalLink, type LocalLink } from '../../../test/local-link.ts'
import type { Inventory } from '../../shared/model/host.ts'
import { createServers, type ServersDeps } from './service.ts'

const fixtures = resolve(import.meta.dirname, 'fixtures')

export interface TestHost {
  link: LocalLink
  home: string
  /** Path of the fake executable, in an environment folder of its own. */
  vllm: string
  servers: ReturnType<typeof createServers>
  /** Server folders that are there now. */
  folders(): Promise<string[]>
  dispose(): Promise<void>
}

/** This machine as a host, with a fake vLLM in its home folder and nothing of the outer environment. For the tests of this folder. */
export async function createTestHost(options: Partial<ServersDeps> & { env?: Record<string, string> } = {}): Promise<TestHost> {
  const env = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    FAKE_NODE: process.execPath,
    FAKE_SERVER: join(fixtures, 'fake-server.mjs'),
    ...options.env,
  }
  const link = await createLocalLink({ hostName: 'lab', env })
  const bin = join(link.homeDir, 'envs/vllm-0.32/bin')
  await mkdir(join(link.homeDir, 'envs/vllm-0.32/lib/python3.12/site-packages/vllm-0.32.0.dist-info'), { recursive: true })
  await mkdir(bin, { recursive: true })
  const vllm = join(bin, 'vllm')
  await copyFile(join(fixtures, 'fake-vllm'), vllm)
  await symlink('/bin/sh', join(bin, 'python3')).catch(() => undefined)
  const inventory: Inventory = { hostName: 'lab', os: 'Linux', gpus: [], environments: [{ vllm, version: '0.32.0' }] }
  const servers = createServers({
    connect: () => Promise.resolve(link),
    inventory: () => Promise.resolve(inventory),
    pollMs: 50,
    stopTimes: { leaderGraceMs: 10_000, restGraceMs: 3_000, pollMs: 50 },
    ...options,
  })
  return {
    link,
    home: link.homeDir,
    vllm,
    servers,
    folders: () => readdir(join(link.homeDir, '.cache/speedgrid/servers')).catch(() => []),
    dispose: async () => {
      // Only what this test left behind: processes with the marker of a server below this home folder.
      for (const { server } of await servers.list('lab')) {
        if (!server.adopted) await servers.stop('lab', server.id).catch(() => undefined)
      }
      await servers.dispose()
      await link.dispose()
    },
  }
}

/** Every process of this machine whose environment or arguments contain a text. */
export async function processesWith(
  text: string,
): Promise<{ pid: number; session: number; inArgv: boolean; inEnvironment: boolean }[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
  const found = await Promise.all(
    pids.map(async (pid) => {
      const [argv, environment, stat] = await Promise.all(
        ['cmdline', 'environ', 'stat'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
      )
      const session = Number((stat ?? '').replace(/^.*\) /s, '').split(' ')[3])
      return { pid: Number(pid), session, inArgv: (argv ?? '').includes(text), inEnvironment: (environment ?? '').includes(text) }
    }),
  )
  return found.filter(({ inArgv, inEnvironment }) => inArgv || inEnvironment)
}

export async function grepFolder(folder: string, text: string): Promise<string[]> {
  const result = await promisify(execFile)('grep', ['-rlF', '--', text, folder]).catch((error: { stdout?: string }) => ({
    stdout: error.stdout ?? '',
  }))
  return result.stdout.split('\n').filter((line) => line !== '')
}

/** Zombies are not: who reaps them, and when, differs between machines. */
export function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${String(pid)}/stat`, 'utf8'))
  } catch {
    return false
  }
}
