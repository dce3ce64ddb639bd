import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { HostView } from '../../shared/contract/hosts.ts'
import { type RunningEngine, startEngine } from '../engine/index.ts'
import { createServe, type Serve } from './create-serve.ts'
import { type Entered, enter, knock, openPage, visit } from './test-visit.ts'

let root: string
let engine: RunningEngine
let serve: Serve
let log: string[]
let nowMs = 0
let pages: { close: () => unknown }[] = []
const rendererDir = () => join(root, 'renderer')

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'speedgrid-serve-'))
  mkdirSync(join(rendererDir(), 'assets'), { recursive: true })
  writeFileSync(join(rendererDir(), 'index.html'), '<!doctype html><meta name="csp-nonce" content="__CSP_NONCE__">page')
  writeFileSync(join(rendererDir(), 'assets/app-1234.js'), 'export const x = 1')
  writeFileSync(join(rendererDir(), '.hidden.js'), 'no')
  writeFileSync(join(root, 'secret.js'), 'outside')
  symlinkSync(join(root, 'secret.js'), join(rendererDir(), 'assets/link.js'))
  engine = startEngine({
    dataDir: join(root, 'data'),
    version: '9.9.9',
    driverPath: join(root, 'driver.mjs'),
    startDemoHost: () => Promise.reject(new Error('no demo host in this test')),
    platform: process.platform,
    env: {},
    homeDir: root,
    mayWriteFiles: false,
  })
})
afterAll(async () => {
  await engine.dispose()
  rmSync(root, { recursive: true, force: true })
})
beforeEach(async (context) => {
  log = []
  nowMs = 0
  pages = []
  serve = await createServe({
    api: engine.api,
    reportUnexpected: engine.reportUnexpected,
    rendererDir: rendererDir(),
    log: (text) => log.push(text),
    now: () => nowMs,
  })
  context.onTestFinished(async () => {
    for (const page of pages) await page.close()
    await serve.close()
  })
})

const tokenPath = (link: string) => new URL(link).pathname + new URL(link).search
const own = () => `http://127.0.0.1:${String(serve.port)}`
function page(entered: Entered) {
  const opened = openPage(serve.port, entered)
  pages.push(opened)
  return opened
}

describe('who is let in', () => {
  it('without a cookie nothing is served: page, files, reports, WebSocket', async () => {
    for (const path of ['/', '/index.html', '/assets/app-1234.js', '/report/x.html', '/session', '/nothing', '/trpc']) {
      expect((await visit(serve.port, path)).status, path).toBe(401)
    }
    expect(await knock(serve.port, { origin: own() })).toBe(401)
    expect(await knock(serve.port, { origin: own(), cookie: `speedgrid-${String(serve.port)}=guessed` })).toBe(401)
  })

  it('a link is good once, for one browser', async () => {
    const link = serve.link()
    const { cookie, headers } = await enter(serve.port, link)
    expect((await visit(serve.port, '/', { headers: { cookie } })).body).toContain('page')
    expect((await visit(serve.port, tokenPath(link))).status).toBe(403)
    // Opened again where it was used: it just goes on.
    expect((await visit(serve.port, tokenPath(link), { headers: { cookie } })).status).toBe(200)
    const other = await enter(serve.port, serve.link())
    expect(other.cookie).not.toBe(cookie)
    expect((await visit(serve.port, '/session', { headers })).status).toBe(204)
  })

  it('the cookie is kept from scripts and from other sites, and named by the port the browser sees', async () => {
    const { headers } = await visit(serve.port, tokenPath(serve.link()), { headers: { host: 'localhost:9000' } })
    expect(headers['set-cookie']?.[0]).toMatch(/^speedgrid-9000=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\//)
    const { cookie } = await enter(serve.port, serve.link(), 'localhost:9000')
    expect((await visit(serve.port, '/', { headers: { cookie, host: 'localhost:9000' } })).status).toBe(200)
    expect((await visit(serve.port, '/', { headers: { cookie } })).status).toBe(401)
  })

  it('a browser that looks ahead does not use a link up', async () => {
    const link = serve.link()
    expect((await visit(serve.port, tokenPath(link), { headers: { 'sec-purpose': 'prefetch;prerender' } })).status).toBe(403)
    expect((await visit(serve.port, tokenPath(link), { method: 'HEAD' })).status).toBe(403)
    await enter(serve.port, link)
  })

  it('wrong tokens are told to wait, the right one never is; links go stale after a day', async () => {
    const link = serve.link()
    for (let n = 0; n < 20; n++) expect((await visit(serve.port, `/open?token=wrong${String(n)}`)).status).toBe(403)
    const answer = await visit(serve.port, '/open?token=wrong')
    expect([answer.status, answer.headers['retry-after']]).toEqual([429, '60'])
    const lines = log.length
    for (let n = 0; n < 50; n++) expect((await visit(serve.port, '/open?token=wrong')).status).toBe(429)
    expect(log).toHaveLength(lines)
    await enter(serve.port, link)
    nowMs += 61_000
    expect((await visit(serve.port, '/open?token=wrong')).status).toBe(403)
    const old = serve.link()
    nowMs += 25 * 3_600_000
    expect((await visit(serve.port, tokenPath(old))).status).toBe(403)
    expect((await visit(serve.port, '/open')).status).toBe(403)
  })

  it('the cookie alone, which every port of this machine is sent, opens nothing', async () => {
    const one = await enter(serve.port, serve.link())
    const other = await enter(serve.port, serve.link())
    const { cookie } = one
    const origin = own()
    expect((await visit(serve.port, '/session', { headers: { cookie } })).status).toBe(401)
    expect(await knock(serve.port, { origin, cookie })).toBe(401)
    for (const key of ['', 'guessed', other.key]) {
      expect((await visit(serve.port, '/session', { headers: { cookie, 'x-speedgrid-key': key } })).status).toBe(401)
      if (key !== '') {
        expect(await knock(serve.port, { origin, cookie, 'sec-websocket-protocol': `speedgrid, ${key}` })).toBe(401)
      }
    }
    expect((await visit(serve.port, '/session', { headers: { 'x-speedgrid-key': one.key } })).status).toBe(401)
    expect((await visit(serve.port, '/session', { headers: one.headers })).status).toBe(204)
    expect(await knock(serve.port, { ...one.both, origin })).toBe('open')
    // What the cookie opens is the program's own code, and nothing of the person's.
    const { body } = await visit(serve.port, '/', { headers: { cookie } })
    expect(body).not.toContain(one.key)
    // A used link in the browser that used it goes on, and gives no key again.
    const link = serve.link()
    const { cookie: mine, key } = await enter(serve.port, link)
    const again = await visit(serve.port, tokenPath(link), { headers: { cookie: mine } })
    expect([again.status, again.headers['x-speedgrid-key'], again.body.includes(key)]).toEqual([200, undefined, false])
  })

  it('no token and no cookie is ever in the log or in an answer', async () => {
    const link = serve.link()
    const { cookie, key } = await enter(serve.port, link)
    const token = new URL(link).searchParams.get('token') ?? 'none'
    const { body } = await visit(serve.port, tokenPath(link))
    const texts = [...log, body].join('\n')
    expect(texts).not.toContain(token)
    expect(texts).not.toContain(cookie.split('=')[1])
    expect(texts).not.toContain(key)
    expect(log.length).toBeGreaterThan(1)
  })
})

describe('from where', () => {
  it('another host name is refused before anything else (DNS rebinding)', async () => {
    const { cookie } = await enter(serve.port, serve.link())
    for (const host of [
      'evil.example',
      'evil.example:80',
      `127.0.0.1.evil.example:${String(serve.port)}`,
      '127.0.0.2',
      '0.0.0.0',
      '',
    ]) {
      expect((await visit(serve.port, '/', { headers: { cookie, host } })).status, host).toBe(421)
      if (host !== '') expect(await knock(serve.port, { cookie, host, origin: `http://${host}` }), host).toBe(421)
    }
    expect((await visit(serve.port, tokenPath(serve.link()), { headers: { host: 'evil.example' } })).status).toBe(421)
    for (const host of ['localhost:1', '[::1]:9', `LOCALHOST:${String(serve.port)}`]) {
      expect((await visit(serve.port, '/', { headers: { host } })).status, host).toBe(401)
    }
  })

  it('a WebSocket needs our very origin; another port of this machine is another origin', async () => {
    const { both } = await enter(serve.port, serve.link())
    const wrong = [
      'http://evil.example',
      'null',
      `https://127.0.0.1:${String(serve.port)}`,
      'http://127.0.0.1:1',
      `http://localhost:${String(serve.port)}`,
      'file://',
    ]
    for (const origin of wrong) expect(await knock(serve.port, { ...both, origin }), origin).toBe(403)
    expect(await knock(serve.port, both)).toBe(403)
    expect(await knock(serve.port, { ...both, origin: own() }, '/other')).toBe(404)
    expect(await knock(serve.port, { ...both, origin: own() })).toBe('open')
    const tunnelled = await enter(serve.port, serve.link(), 'localhost:9000')
    expect(await knock(serve.port, { ...tunnelled.both, host: 'localhost:9000', origin: 'http://localhost:9000' })).toBe('open')
  })

  it('nothing can be sent, least of all from elsewhere', async () => {
    const { cookie } = await enter(serve.port, serve.link())
    expect((await visit(serve.port, '/', { method: 'POST', headers: { cookie, origin: 'http://evil.example' } })).status).toBe(
      403,
    )
    expect((await visit(serve.port, '/', { method: 'DELETE', headers: { cookie } })).status).toBe(403)
    expect((await visit(serve.port, '/', { method: 'POST', headers: { cookie, origin: own() } })).status).toBe(405)
    for (const site of ['cross-site', 'same-site']) {
      const headers = { cookie, 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors' }
      expect((await visit(serve.port, '/assets/app-1234.js', { headers })).status, site).toBe(403)
    }
  })

  it('listens on loopback only', async () => {
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((one) => one?.internal === false && one.family === 'IPv4')
    if (outside === undefined) return
    const reached = await new Promise<boolean>((resolve) => {
      const socket = connect({ host: outside.address, port: serve.port, timeout: 2000 })
      const end = (yes: boolean) => {
        socket.destroy()
        resolve(yes)
      }
      socket.on('connect', () => end(true))
      socket.on('error', () => end(false))
      socket.on('timeout', () => end(false))
    })
    expect(reached).toBe(false)
  })

  it('says so when the port is taken', async () => {
    const again = createServe({
      api: engine.api,
      reportUnexpected: engine.reportUnexpected,
      rendererDir: rendererDir(),
      port: serve.port,
    })
    await expect(again).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('in use') as string })
  })
})

describe('what is served', () => {
  it('the page with a policy of its own each time, its nonce in place, and headers that forbid the rest', async () => {
    const { cookie } = await enter(serve.port, serve.link())
    const first = await visit(serve.port, '/', { headers: { cookie } })
    const policy = String(first.headers['content-security-policy'])
    const nonce = /style-src 'self' 'nonce-([^']+)'/.exec(policy)?.[1] ?? ''
    expect(nonce.length).toBeGreaterThan(20)
    expect(first.body).toContain(`content="${nonce}"`)
    expect(policy).toContain("default-src 'none'; script-src 'self';")
    expect(policy).not.toMatch(/script-src[^;]*unsafe/)
    expect(first.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    })
    const second = await visit(serve.port, '/index.html', { headers: { cookie } })
    expect(second.headers['content-security-policy']).not.toBe(policy)
    const file = await visit(serve.port, '/assets/app-1234.js', { headers: { cookie } })
    expect(file).toMatchObject({ status: 200, body: 'export const x = 1' })
    expect(file.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': expect.stringContaining('immutable') as string,
    })
  })

  it('nothing but files of the page: no way up, in no spelling, no link out, nothing hidden', async () => {
    const { cookie } = await enter(serve.port, serve.link())
    const paths = [
      '/../secret.js',
      '/assets/../../secret.js',
      '/%2e%2e/secret.js',
      '/assets/%2e%2e%2f%2e%2e%2fsecret.js',
      '/..%5csecret.js',
      '/%252e%252e/secret.js',
      '/assets/link.js',
      '/.hidden.js',
      '/assets//app-1234.js',
      '/assets/app-1234.js%00.js',
      '/assets/%ff.js',
      '/assets',
      '/assets/app-1234.map',
      `//127.0.0.1/secret.js`,
      '/report/../secret.js',
    ]
    for (const path of paths) {
      const { status, body } = await visit(serve.port, path, { headers: { cookie } })
      expect([400, 404], path).toContain(status)
      expect(body, path).not.toContain('outside')
    }
    expect((await visit(serve.port, 'http://evil.example/', { headers: { cookie } })).status).toBe(400)
  })
})

describe('the contract over a WebSocket', () => {
  it('two pages see the same; errors keep code, cause and next step', async () => {
    const [one, two] = [page(await enter(serve.port, serve.link())), page(await enter(serve.port, serve.link()))]
    expect(await one.client.app.info.query()).toMatchObject({ version: '9.9.9' })
    const seen: HostView[][] = []
    const subscription = two.client.hosts.watch.subscribe(undefined, {
      onData: (message) => {
        if (message.kind === 'snapshot') seen.push(message.value)
        else if ('upsert' in message.change) seen.push([message.change.upsert])
      },
    })
    await expect.poll(() => seen.length).toBe(1)
    await one.client.hosts.add.mutate({ name: 'lab', target: 'me@10.0.0.7' })
    await expect.poll(() => seen.at(-1)).toMatchObject([{ host: { name: 'lab' }, connection: 'never' }])
    subscription.unsubscribe()
    await one.client.hosts.remove.mutate({ name: 'lab' })
    expect(serve.pages).toBe(2)
    const failure = one.client.runs.document.query({ runId: 'nope' })
    await expect(failure).rejects.toMatchObject({ data: { info: { code: 'not_found', cause: 'There is no run “nope”' } } })
    const wrong = one.client.hosts.add.mutate({ name: '../x', target: '' })
    await expect(wrong).rejects.toMatchObject({ data: { info: { code: 'usage' } } })
    await expect(one.client.reports.write.mutate({ runId: 'x', format: 'md', path: '/etc/passwd' })).rejects.toMatchObject({
      data: { info: { code: 'usage', cause: expect.stringContaining('browser') as string } },
    })
  })

  it('a page whose engine is gone notices, and is there again when it is back on the same port', async () => {
    const { port } = serve
    const opened = page(await enter(port, serve.link()))
    await opened.client.app.info.query()
    await serve.close()
    await expect.poll(() => opened.states.at(-1)).toBe('close')
    // Sessions end with the process: the page is refused, and learns it where it can ask.
    const options = { api: engine.api, reportUnexpected: engine.reportUnexpected, rendererDir: rendererDir(), port }
    serve = await createServe(options)
    expect((await visit(port, '/session')).status).toBe(401)
    const back = page(await enter(port, serve.link()))
    expect(await back.client.app.info.query()).toMatchObject({ version: '9.9.9' })
  })
})
