import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import type { EngineApi } from '../../shared/contract/api.ts'
import { createSockets } from './sockets.ts'

const PIECE = 'x'.repeat(100_000)

/** A server whose log never ends. */
async function start() {
  const made = { pieces: 0, ended: 0 }
  async function* log(_input: unknown, signal: AbortSignal) {
    try {
      while (!signal.aborted) {
        made.pieces += 1
        yield { text: PIECE }
      }
    } finally {
      made.ended += 1
    }
  }
  const api = { servers: { log } } as unknown as EngineApi
  const sockets = createSockets({ api, reportUnexpected: () => 'id' })
  const server = createServer()
  server.on('upgrade', sockets.accept)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = new WebSocket(`ws://127.0.0.1:${String((server.address() as AddressInfo).port)}/trpc`)
  await new Promise((resolve) => client.once('open', resolve))
  onTestFinished(() => {
    client.terminate()
    sockets.close()
    server.close()
  })
  const input = { host: 'lab', server: 'srv-1' }
  client.send(JSON.stringify({ id: 1, method: 'subscription', params: { path: 'servers.log', input } }))
  return { made, client, sockets }
}

/** Waits until nothing more is made. */
async function settled(made: { pieces: number }): Promise<number> {
  for (let before = -1; before !== made.pieces; ) {
    before = made.pieces
    await delay(300)
  }
  return made.pieces
}

test('what a reader has not taken holds back what is made for it; it goes on where it reads again', async () => {
  const { made, client } = await start()
  let got = 0
  client.on('message', () => (got += 1))
  client.pause()
  const held = await settled(made)
  // What the two ends of the connection hold, and not more: without a limit it would be endless.
  expect(held * PIECE.length).toBeLessThan(32 * 1024 * 1024)
  client.resume()
  await expect.poll(() => got, { timeout: 10_000 }).toBeGreaterThan(held)
})

test('a reader that leaves ends what was made for it', async () => {
  const { made, client, sockets } = await start()
  await expect.poll(() => made.pieces).toBeGreaterThan(0)
  expect(sockets.count).toBe(1)
  client.close()
  await expect.poll(() => [made.ended, sockets.count]).toEqual([1, 0])
})

test('thousands of calls in one message, or a message of megabytes, end their own connection and hold up nobody else', async () => {
  let asked = 0
  const api = {
    app: { info: () => Promise.resolve({ n: (asked += 1) }) },
    runs: { list: () => new Promise(() => undefined) },
  } as unknown as EngineApi
  const sockets = createSockets({ api, reportUnexpected: () => 'id' })
  const server = createServer()
  server.on('upgrade', sockets.accept)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `ws://127.0.0.1:${String((server.address() as AddressInfo).port)}/trpc`
  const connect = async () => {
    const client = new WebSocket(address)
    const closed = new Promise<number>((resolve) => client.once('close', resolve))
    const got: { id: number; error?: { message: string } }[] = []
    client.on('message', (data) => got.push(...[JSON.parse((data as Buffer).toString()) as (typeof got)[number]].flat()))
    await new Promise((resolve) => client.once('open', resolve))
    onTestFinished(() => client.terminate())
    return { client, closed, got }
  }
  onTestFinished(() => {
    sockets.close()
    server.close()
  })
  const info = (id: number) => ({ id, method: 'query', params: { path: 'app.info' } })
  const batch = (count: number) => JSON.stringify(Array.from({ length: count }, (_, id) => info(id + 1)))

  const greedy = await connect()
  greedy.client.send(batch(20_000))
  expect(await greedy.closed).toBe(1008)
  const heavy = await connect()
  heavy.client.send(JSON.stringify({ ...info(1), padding: 'x'.repeat(5 * 1024 * 1024) }))
  expect(await heavy.closed).toBe(1008)
  expect(asked).toBe(0)

  const usual = await connect()
  usual.client.send(batch(100))
  await expect.poll(() => usual.got.length).toBe(100)
  expect(asked).toBe(100)

  // Calls that are never answered: beyond a number further ones are refused, and another connection has its own.
  const list = (id: number) => ({ id, method: 'query', params: { path: 'runs.list', input: {} } })
  for (let id = 1000; id < 1201; id++) usual.client.send(JSON.stringify(list(id)))
  await expect.poll(() => usual.got.find(({ id }) => id === 1200)?.error?.message).toBe('Too many calls at once.')
  const other = await connect()
  other.client.send(JSON.stringify(info(1)))
  await expect.poll(() => other.got.length).toBe(1)
})
