import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { DemoView } from '../../src/shared/contract/app.ts'
import { enter, openPage, visit } from '../../src/main/serve/test-visit.ts'
import { createPerson, type Person } from './speedgrid.ts'

interface Served {
  address: string
  link: string
  port: number
  pid: number
}

let person: Person
beforeEach(() => {
  person = createPerson()
})
afterEach(() => {
  person.dispose()
})

it('serves the built page to whoever has the link, gives new links, and ends well', async () => {
  const serving = person.start(['serve', '--json'])
  await serving.saw(/"started": true\n}/)
  const first = JSON.parse(serving.stdout()) as Served
  expect((await visit(first.port, '/')).status).toBe(401)
  const { cookie } = await enter(first.port, first.link)
  const page = await visit(first.port, '/', { headers: { cookie } })
  const script = /<script[^>]* src="\.(\/assets\/[^"]+\.js)"/.exec(page.body)?.[1] ?? 'no script'
  expect((await visit(first.port, script, { headers: { cookie } })).status).toBe(200)
  expect(existsSync(join(person.dataDir, 'serve.sock'))).toBe(true)

  const second = await person.json<Served & { started: boolean }>(['serve', '--open'])
  expect(second).toMatchObject({ port: first.port, pid: first.pid, started: false })
  await enter(second.port, second.link)

  serving.child.kill('SIGINT')
  expect((await serving.done).code).toBe(0)
  expect(existsSync(join(person.dataDir, 'serve.sock'))).toBe(false)
  await expect(visit(first.port, '/')).rejects.toThrow('ECONNREFUSED')
})

it.runIf(process.platform === 'linux')(
  'the demo machine comes and goes over the contract; the history is the same for page and command line',
  async () => {
    const serving = person.start(['serve', '--json'])
    await serving.saw(/"started": true\n}/)
    const { port, link } = JSON.parse(serving.stdout()) as Served
    const page = openPage(port, await enter(port, link))
    const demo: DemoView = await page.client.app.startDemo.mutate({ machine: 'h200' })
    expect(demo).toMatchObject({ state: 'ready', host: 'demo', command: expect.stringMatching(/^vllm serve /) as string })
    expect(await page.client.hosts.connect.mutate({ name: 'demo' })).toMatchObject({
      gpus: [{ name: expect.stringContaining('H200') as string }],
    })
    expect(await person.json(['hosts', 'list'])).toMatchObject({ hosts: [{ name: 'demo', demo: true }] })
    await page.client.app.stopDemo.mutate()
    expect(await person.json(['hosts', 'list'])).toEqual({ hosts: [] })
    expect(await page.client.app.knownHosts.query()).toEqual([])
    await page.close()
    serving.child.kill('SIGTERM')
    expect((await serving.done).code).toBe(0)
  },
)

it('npm start without a window says so in one line and serves the page', async () => {
  const start = resolve(import.meta.dirname, '../../bin/start.mjs')
  const started = person.start(['--json'], { entry: start, env: { SPEEDGRID_ELECTRON: '/no/such/electron' } })
  await started.saw(/"started": true\n}/)
  expect(started.stderr().split('\n')[0]).toBe(
    'No window (SPEEDGRID_ELECTRON names /no/such/electron, which is not there): opening the page instead.',
  )
  const { port, link } = JSON.parse(started.stdout()) as Served
  await enter(port, link)
  started.child.kill('SIGTERM')
  await started.done
})
