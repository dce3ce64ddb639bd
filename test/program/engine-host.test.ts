import { type ChildProcess, fork } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type FromEngine, fromEngineSchema, type FromShell } from '../../src/shared/contract/engine-process.ts'
import { createPerson, type Person } from './speedgrid.ts'

const entry = resolve(import.meta.dirname, '../../out/main/engine-host.js')
let person: Person
let child: ChildProcess | undefined
beforeEach(() => {
  person = createPerson()
})
afterEach(() => {
  child?.kill('SIGKILL')
  person.dispose()
})

function start() {
  const said: FromEngine[] = []
  child = fork(entry, ['--data-dir', person.dataDir], { env: person.env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  const mine = child
  child.on('message', (message) => {
    const parsed = fromEngineSchema.safeParse(message)
    if (parsed.success) said.push(parsed.data)
  })
  const exited = new Promise<number | null>((done) => mine.on('exit', (code) => done(code)))
  const post = (message: FromShell) => void mine.send(message)
  const send = (connection: number, frame: unknown) => post({ connection, data: JSON.stringify(frame) })
  const frames = () => said.flatMap((one) => ('data' in one ? [JSON.parse(one.data) as { id: number }] : []))
  return { child: mine, said, exited, post, send, frames }
}

it('is ready, answers what was asked before it was, and ends when it is told to', async () => {
  const { said, exited, post, send, frames } = start()
  post({ connection: 1, open: true })
  send(1, { id: 1, method: 'query', params: { path: 'app.info' } })
  await expect
    .poll(() => frames().find(({ id }) => id === 1), { timeout: 20_000 })
    .toMatchObject({ result: { data: { dataDir: person.dataDir } } })
  expect(said[0]).toMatchObject({ kind: 'ready', dataDir: person.dataDir, pid: expect.any(Number) as number })
  post({ kind: 'shutdown' })
  expect(await exited).toBe(0)
  expect(said.at(-1)).toEqual({ connection: 1, close: true })
})

it('ends with its parent', async () => {
  const { child: engine, said, exited } = start()
  await expect.poll(() => said[0], { timeout: 20_000 }).toMatchObject({ kind: 'ready' })
  engine.disconnect()
  expect(await exited).toBe(0)
})

it('says why it cannot start', async () => {
  mkdirSync(person.dataDir)
  writeFileSync(`${person.dataDir}/history.db`, 'this is no database at all, just some text that is long enough'.repeat(20))
  const { said, exited } = start()
  expect(await exited).toBe(1)
  expect(said).toEqual([
    {
      kind: 'failed',
      error: expect.objectContaining({ cause: expect.any(String) as string, evidence: expect.any(Array) as string[] }) as object,
    },
  ])
})
