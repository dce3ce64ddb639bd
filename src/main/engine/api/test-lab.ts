import { mkdtempSync, rmSync } from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startSshd, type TestSshd } from '../../../../test/sshd.ts'
import type { EngineApi } from '../../../shared/contract/api.ts'
import type { Feed } from '../../../shared/contract/changes.ts'
import { SpeedgridError } from '../../../shared/model/error.ts'
import { type RunningEngine, startEngine, type StartOptions } from '../index.ts'

const fixtures = resolve(import.meta.dirname, '../../servers/fixtures')
const driverPath = resolve(import.meta.dirname, '../../../../test/fake-driver.mjs')

/** A real sshd with a fake vLLM on it, and engines on one data folder. */
export interface ApiLab {
  root: string
  dataDir: string
  sshd: TestSshd
  target: string
  /** A command that starts a server there. */
  command: string
  /** Another engine on the same folder; all end with the lab. */
  engine: (options?: Partial<StartOptions>) => RunningEngine
  dispose: () => Promise<void>
}

export async function createApiLab(): Promise<ApiLab> {
  const root = mkdtempSync(join(tmpdir(), 'speedgrid-api-'))
  const home = join(root, 'home')
  await mkdir(join(home, 'env/bin'), { recursive: true })
  const vllm = join(home, 'env/bin/vllm')
  await copyFile(join(fixtures, 'fake-vllm'), vllm)
  const sshd = await startSshd({ home })
  const engines: RunningEngine[] = []
  const dataDir = join(root, 'data')
  return {
    root,
    dataDir,
    sshd,
    target: `${sshd.user}@127.0.0.1:${String(sshd.port)}`,
    command: `FAKE_NODE=${process.execPath} FAKE_SERVER=${join(fixtures, 'fake-server.mjs')} ${vllm} serve some/model`,
    engine(options = {}) {
      const engine = startEngine({
        dataDir,
        version: '9.9.9',
        driverPath,
        startDemoHost: () => Promise.reject(new SpeedgridError('remote', 'no demo host in this test')),
        platform: process.platform,
        env: {},
        homeDir: root,
        mayWriteFiles: true,
        ...options,
      })
      engines.push(engine)
      return engine
    },
    async dispose() {
      const ending = engines.map((engine) => engine.dispose())
      await Promise.all(ending)
      await sshd.stop()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

/** Reads a feed as a page does, until the value is as wanted. Fails on a gap in the numbers. */
export async function follow<Value, Change>(
  open: (signal: AbortSignal) => AsyncIterable<Feed<Value, Change>>,
  reduce: (value: Value, change: Change) => Value,
  until: (value: Value) => boolean,
): Promise<Value> {
  const leave = new AbortController()
  const limit = setTimeout(() => leave.abort(), 25_000)
  let value: Value | undefined
  let rev: number | undefined
  try {
    for await (const message of open(leave.signal)) {
      if (rev !== undefined && message.rev !== rev + 1) throw new Error(`gap: ${String(rev)} → ${String(message.rev)}`)
      rev = message.rev
      // Over the wire undefined is nothing.
      const sent = JSON.parse(JSON.stringify(message)) as typeof message
      value = sent.kind === 'snapshot' ? sent.value : reduce(value as Value, sent.change)
      if (until(value)) return value
    }
  } finally {
    clearTimeout(limit)
    leave.abort()
  }
  throw new Error(`the feed ended at ${JSON.stringify(value)?.slice(0, 2000)}`)
}

export const replaced = <Value>(_before: Value, change: Value): Value => change

/** Answers every question with these. */
export function answerPrompts(api: EngineApi, answers: { trust: boolean; secret?: string }): AbortController {
  const leave = new AbortController()
  const answering = async () => {
    for await (const message of api.prompts.watch(leave.signal)) {
      const asked = message.kind === 'snapshot' ? message.value : 'upsert' in message.change ? [message.change.upsert] : []
      for (const { id, kind } of asked) {
        const answer =
          kind === 'host_key'
            ? ({ kind, id, trust: answers.trust } as const)
            : ({ kind, id, ...(answers.secret === undefined ? {} : { value: answers.secret }) } as const)
        await api.prompts.answer(answer)
      }
    }
  }
  void answering()
  return leave
}

export async function eventually(check: () => void | Promise<void>): Promise<void> {
  for (const startedAt = Date.now(); ; ) {
    try {
      await check()
      return
    } catch (error) {
      if (Date.now() - startedAt > 20_000) throw error
      await delay(50)
    }
  }
}
