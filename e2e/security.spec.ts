import { createServer } from 'node:http'
import { connect, createServer as createTcpServer } from 'node:net'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { PAGE_KEY_HEADER, PAGE_KEY_NAME, PAGE_PROTOCOL } from '../src/shared/contract/page-key.ts'
import { expect, newLink, test } from './support/app.ts'
import { startDemoLab } from './support/lab.ts'
import { ask, upgrade } from './support/raw.ts'
import { documentOf, fillPlan, waitForFinished } from './support/steps.ts'

const ANSI = '\u001B[31m\u001B]8;;javascript:window.hacked=1\u0007'
const HTML = '<img src=x onerror="window.hacked=1">'

/** Nothing that came from outside has become an element or has run. */
async function expectOnlyText(page: Page): Promise<void> {
  const seen = await page.evaluate(() => ({
    images: document.querySelectorAll('img[src="x"]').length,
    links: [...document.querySelectorAll('a')].filter((link) => link.href.startsWith('javascript:')).length,
    hacked: 'hacked' in window,
  }))
  expect(seen).toEqual({ images: 0, links: 0, hacked: false })
}

test.describe('the door of the page', () => {
  test('without the cookie nothing is given, from no origin', async ({ app, browser }) => {
    const port = app.serve?.port ?? 0
    const own = `http://127.0.0.1:${port}`
    const foreign = `http://127.0.0.1:${port === 9 ? 10 : port - 1}`
    for (const path of ['/', '/index.html', '/session', '/assets/none.js']) {
      expect((await ask(port, path)).status, path).toBe(401)
      expect((await ask(port, path, { 'sec-fetch-site': 'same-origin', origin: own })).status, path).toBe(401)
      expect([401, 403], path).toContain((await ask(port, path, { 'sec-fetch-site': 'cross-site', origin: foreign })).status)
    }
    expect((await upgrade(port, { origin: own })).status).toBe(401)
    expect((await upgrade(port, { origin: foreign })).status).toBe(403)
    expect((await upgrade(port)).status).toBe(403)

    // From a browser that has no cookie, in a page at the page's very origin.
    const stranger = await browser.newContext()
    const page = await stranger.newPage()
    expect((await page.goto(own))?.status()).toBe(401)
    await page.route(`${own}/blank`, (route) => route.fulfill({ contentType: 'text/html', body: '<title>blank</title>' }))
    await page.goto(`${own}/blank`)
    expect(await page.evaluate(openSocket, `ws://127.0.0.1:${port}/trpc`)).toBe('refused')
    expect(await page.evaluate(() => fetch('/session').then((answer) => answer.status))).toBe(401)
    await stranger.close()
  })

  test('with the cookie a foreign origin is refused all the same, and so is another host name', async ({ app }) => {
    const { page } = app
    const port = app.serve?.port ?? 0
    const cookies = await page.context().cookies()
    expect(cookies).toHaveLength(1)
    expect(cookies[0]).toMatchObject({ httpOnly: true, sameSite: 'Strict' })
    const key = await page.evaluate((name) => localStorage.getItem(name) ?? '', PAGE_KEY_NAME)
    const cookie = `${cookies[0]?.name ?? ''}=${cookies[0]?.value ?? ''}`
    const protocols = { 'sec-websocket-protocol': `${PAGE_PROTOCOL}, ${key}` }
    expect((await ask(port, '/session', { cookie, [PAGE_KEY_HEADER]: key })).status).toBe(204)
    expect((await upgrade(port, { cookie, ...protocols, origin: `http://127.0.0.1:${port}` })).status).toBe(101)
    for (const origin of [`http://127.0.0.1:${port + 1}`, `http://localhost:${port}`, 'http://evil.example', 'null']) {
      expect((await upgrade(port, { cookie, ...protocols, origin })).status, origin).toBe(403)
    }
    for (const host of ['evil.example', `evil.example:${port}`, `127.0.0.1.evil.example:${port}`, `10.0.0.1:${port}`]) {
      expect((await ask(port, '/', { cookie, host })).status, host).toBe(421)
      expect((await upgrade(port, { cookie, host, origin: `http://${host}` })).status, host).toBe(421)
    }
    expect((await ask(port, '/session', { cookie, 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' })).status).toBe(403)
    expect((await ask(port, '/', { cookie, origin: 'http://evil.example' }, 'POST')).status).toBe(403)
    expect((await ask(port, '/../package.json', { cookie })).status).toBe(400)

    // A page at another port of this machine: the browser sends our cookie along.
    const other = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end('<title>elsewhere</title>')
    })
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port: otherPort } = other.address() as { port: number }
    const elsewhere = await page.context().newPage()
    await elsewhere.goto(`http://127.0.0.1:${otherPort}/`)
    const fetched = await elsewhere.evaluate(
      (url) =>
        fetch(url, { mode: 'no-cors', credentials: 'include' }).then(
          () => 'given',
          () => 'refused',
        ),
      `http://127.0.0.1:${port}/session`,
    )
    expect(fetched).toBe('refused')
    expect(await elsewhere.evaluate(openSocket, `ws://127.0.0.1:${port}/trpc`)).toBe('refused')
    other.close()
  })

  test('another server of this machine gets the cookie from the browser, and can do nothing with it', async ({ app }) => {
    const { page } = app
    const port = app.serve?.port ?? 0
    const own = `http://127.0.0.1:${port}`
    const recorded: string[] = []
    const thief = createServer((request, response) => {
      recorded.push(request.headers.cookie ?? '')
      response.setHeader('content-type', 'text/html')
      response.end('<title>elsewhere</title>')
    })
    await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve))
    const { port: otherPort } = thief.address() as { port: number }
    const elsewhere = await page.context().newPage()
    await elsewhere.goto(`http://127.0.0.1:${otherPort}/`)
    const cookie = recorded.find((one) => one.startsWith(`speedgrid-${port}=`)) ?? ''
    expect(cookie).not.toBe('')
    // Its page has a storage of its own; its program may say that it comes from anywhere.
    expect(await elsewhere.evaluate((name) => localStorage.getItem(name), PAGE_KEY_NAME)).toBeNull()
    const pretends = { cookie, origin: own, 'sec-fetch-site': 'same-origin' }
    expect((await ask(port, '/session', pretends)).status).toBe(401)
    const protocols: Record<string, string>[] = [
      {},
      { 'sec-websocket-protocol': 'speedgrid' },
      { 'sec-websocket-protocol': 'speedgrid, guessed' },
    ]
    for (const protocol of protocols) {
      expect((await upgrade(port, { ...pretends, ...protocol })).status).toBe(401)
    }
    const key = await page.evaluate((name) => localStorage.getItem(name) ?? '', PAGE_KEY_NAME)
    expect(key.length).toBeGreaterThan(40)
    const given = await ask(port, '/', pretends)
    expect(given.body + JSON.stringify(given.headers)).not.toContain(key)
    thief.close()

    // The person's own page goes on: after a reload, in a second tab, and over another port as `ssh -L` gives one.
    await page.reload()
    const demo = (shown: Page) => shown.getByRole('button', { name: 'Try the demo machine' })
    await expect(demo(page)).toBeVisible()
    await expect(demo(await app.openPage())).toBeVisible()
    const forward = createTcpServer((socket) => {
      const inner = connect(port, '127.0.0.1')
      for (const end of [socket, inner]) end.on('error', () => undefined)
      socket.pipe(inner).pipe(socket)
    })
    await new Promise<void>((resolve) => forward.listen(0, '127.0.0.1', resolve))
    const { port: forwarded } = forward.address() as { port: number }
    const tunnelled = await page.context().newPage()
    await tunnelled.goto((await newLink(app.person)).replace(own, `http://localhost:${forwarded}`))
    await tunnelled.waitForURL(`http://localhost:${forwarded}/`)
    await expect(demo(tunnelled)).toBeVisible()
    await tunnelled.close()
    forward.close()
    expect(app.problems).toEqual([])
  })

  test('a link is good once', async ({ app, browser }) => {
    const { serve } = app
    const used = await browser.newContext()
    const page = await used.newPage()
    expect((await page.goto(serve?.link ?? ''))?.status()).toBe(403)
    await expect(page.getByText('This link was used already.')).toBeVisible()
    const link = await newLink(app.person)
    await page.goto(link)
    await expect(page.getByRole('button', { name: 'Try the demo machine' })).toBeVisible()
    const third = await browser.newContext()
    expect((await (await third.newPage()).goto(link))?.status()).toBe(403)
    await used.close()
    await third.close()
    expect(serve?.running.stderr()).not.toContain(new URL(link).searchParams.get('token'))
  })
})

/** Runs in a page: what becomes of a WebSocket. */
function openSocket(url: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url)
    socket.addEventListener('open', () => resolve('open'))
    socket.addEventListener('error', () => resolve('refused'))
  })
}

test('hostile names of hosts, models and runs and hostile log lines are text everywhere', async ({ app }) => {
  const { page, person } = app
  writeFileSync(join(person.home, '.ssh', 'config'), 'Host <script>window.hacked</script>\n  HostName 127.0.0.1\n')
  const lab = await startDemoLab(person)
  await lab.add(person)
  const hostile = `${HTML} ${ANSI} javascript:window.hacked=1`
  const given = lab.facts.launchWords
  const words = given.map((word, index) => (given[index - 1] === '--served-model-name' ? hostile : word))
  const server = await lab.launch(person, words)
  await page.reload()

  await page.goto(`${app.serve?.address ?? ''}/#/hosts/+add`)
  await expect(page.getByText('<script>window.hacked</script>')).toBeVisible()
  await expectOnlyText(page)
  await page.keyboard.press('Escape')

  await page.goto(`${app.serve?.address ?? ''}/#/hosts/lab`)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(page.getByRole('link', { name: /^Sweep / })).toBeVisible()
  await expectOnlyText(page)
  await page.getByRole('link', { name: /^Sweep / }).click()
  await fillPlan(page, { contexts: '0', levels: '1', seconds: '1', maxOutput: '64' })
  await page.getByLabel('Name of the run').fill(`run ${HTML}`)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await waitForFinished(page)
  await expect(page.getByText(`run ${HTML}`).first()).toBeVisible()
  await expectOnlyText(page)
  const run = await documentOf(person)
  expect(run.name).toBe(`run ${HTML}`)

  for (const screen of [`history`, `history/${run.id}`, `cell/${run.id}/0/1`, `report/${run.id}`]) {
    await page.goto(`${app.serve?.address ?? ''}/#/${screen}`)
    await expect(page.getByText(`run ${HTML}`, { exact: false }).or(page.locator('iframe')).first()).toBeVisible()
    await expectOnlyText(page)
  }
  const report = page.frameLocator('iframe')
  await expect(report.getByText(HTML, { exact: false }).first()).toBeVisible()
  await expect(report.locator('img[src="x"]')).toHaveCount(0)

  await page.goto(`${app.serve?.address ?? ''}/#/launch?host=lab&server=${server}`)
  await expect(page.getByText('<img src=x', { exact: false }).first()).toBeVisible()
  await expectOnlyText(page)
  expect(app.problems).toEqual([])
  await lab.stop()
})
