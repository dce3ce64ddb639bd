import { join } from 'node:path'
import type Electron from 'electron'
import { expect, root, test, waitForEngine } from './desk.ts'

const headersOf = ({ net }: typeof Electron, url: string) =>
  net.fetch(url).then((answer) => ({ status: answer.status, policy: answer.headers.get('content-security-policy') ?? '' }))

test('the policy has nothing unsafe for scripts, and scripts that are not ours do not run', async ({ desk }) => {
  const { policy } = await desk.app.evaluate(headersOf, 'app://speedgrid/index.html')
  expect(policy).toContain("default-src 'none'; script-src 'self';")
  expect(/script-src [^;]*/.exec(policy)?.[0]).not.toContain('unsafe')
  const ran = await desk.page.evaluate(() => {
    const script = document.createElement('script')
    script.textContent = 'window.inlineRan = true'
    document.body.append(script)
    const image = document.createElement('img')
    image.setAttribute('onerror', 'window.handlerRan = true')
    image.src = 'data:image/png;base64,AAAA'
    document.body.append(image)
    // Later: what the test itself runs may use eval, whatever the policy says.
    return new Promise((resolve) => {
      setTimeout(() => {
        let evalRan = true
        try {
          // oxlint-disable-next-line no-eval -- this is the test
          eval('1')
        } catch {
          evalRan = false
        }
        resolve({ inline: 'inlineRan' in window, handler: 'handlerRan' in window, evalRan })
      }, 300)
    })
  })
  expect(ran).toEqual({ inline: false, handler: false, evalRan: false })
})

test('nothing can be fetched from the page', async ({ desk }) => {
  const outcome = await desk.page.evaluate(() =>
    Promise.all(
      ['https://example.org/', 'http://127.0.0.1:9/', 'file:///etc/passwd'].map((url) =>
        fetch(url).then(
          () => 'fetched',
          () => 'refused',
        ),
      ),
    ),
  )
  expect(outcome).toEqual(['refused', 'refused', 'refused'])
})

test('addresses of our protocol lead to pages only', async ({ desk }) => {
  for (const path of ['..%2f..%2f..%2fetc/passwd', '.env', 'assets/', 'index.html.map']) {
    expect(await desk.app.evaluate(headersOf, `app://speedgrid/${path}`), path).toMatchObject({ status: 404 })
  }
  expect(await desk.app.evaluate(headersOf, 'app://speedgrid/shell/attach.html')).toMatchObject({ status: 200 })
})

test('the page stays where it is', async ({ desk }) => {
  const { page } = desk
  await desk.answerDialogs({ response: 0 })
  const before = page.url()
  const ways = ['http://127.0.0.1:9/', 'file:///etc/passwd', 'data:text/html,hi', 'app://speedgrid/shell/attach.html']
  for (const url of ways) {
    await page.evaluate((to) => {
      location.href = to
    }, url)
    await page.waitForTimeout(200)
    expect(page.url()).toBe(before)
  }
  expect(await desk.asked()).toEqual([])
  // Chromium goes there without asking; the page is brought back, and meanwhile nothing is heard of it.
  for (const url of ['about:blank', 'about:blank#x']) {
    await page.evaluate((to) => {
      location.href = to
    }, url)
    await expect.poll(() => page.url()).toBe(before)
    await expect(page.getByRole('link', { name: 'Hosts' })).toBeVisible()
  }
})

test('no new window; an https address is shown in full and opened only after consent', async ({ desk }) => {
  const { page } = desk
  await waitForEngine(page)
  await desk.answerDialogs({ response: 0 })
  const open = (url: string) => page.evaluate((to) => window.open(to) === null, url)
  expect(await open('https://docs.vllm.ai/en/latest/?a=b#c')).toBe(true)
  await expect.poll(() => desk.asked()).toMatchObject([{ kind: 'message', detail: 'https://docs.vllm.ai/en/latest/?a=b#c' }])
  for (const url of ['http://example.org/', 'file:///etc/passwd', 'javascript:alert(1)', 'app://speedgrid/index.html']) {
    expect(await open(url)).toBe(true)
  }
  await page.waitForTimeout(300)
  expect(await desk.asked()).toHaveLength(1)
  await desk.answerDialogs({ response: 1 })
  await open('https://docs.vllm.ai/')
  await expect.poll(async () => (await desk.asked()).at(-1)).toMatchObject({ kind: 'browser', message: 'https://docs.vllm.ai/' })
  expect(desk.app.windows()).toHaveLength(1)
})

test('frames get no bridge, and only the preview of a report may be one', async ({ desk }) => {
  const outcome = await desk.page.evaluate(async () => {
    const frame = document.createElement('iframe')
    frame.srcdoc = '<p>inside</p>'
    document.body.append(frame)
    await new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }))
    const inside = frame.contentWindow as unknown as Record<string, unknown>
    const hasBridge = 'speedgrid' in inside
    const foreign = document.createElement('iframe')
    foreign.src = 'https://example.org/'
    document.body.append(foreign)
    await new Promise((resolve) => setTimeout(resolve, 500))
    return { hasBridge, frames: window.frames.length }
  })
  expect(outcome.hasBridge).toBe(false)
  const urls = desk.page.frames().map((frame) => frame.url())
  expect(urls.filter((url) => url.startsWith('https:'))).toEqual([])
})

test('a window that is not ours is not heard, even with our page and our bridge', async ({ desk }) => {
  const opened = desk.app.waitForEvent('window')
  await desk.app.evaluate(
    ({ BrowserWindow }, preload) => {
      void new BrowserWindow({ webPreferences: { preload, sandbox: true } }).loadURL('app://speedgrid/index.html')
    },
    join(root, 'out/preload/index.cjs'),
  )
  const stranger = await opened
  await expect(stranger.getByRole('link', { name: 'Hosts' })).toBeVisible()
  const ask = (page: typeof stranger) =>
    page.evaluate(
      () =>
        new Promise((resolve) => {
          const { speedgrid } = window as unknown as {
            speedgrid: { send(text: string): void; onMessage(listener: (text: string) => void): () => void }
          }
          speedgrid.onMessage((text) => {
            if (text.includes('"id":4242')) resolve('answered')
          })
          speedgrid.send('{"to":"shell","id":4242,"call":"abilities","input":null}')
          setTimeout(() => {
            resolve('not heard')
          }, 1500)
        }),
    )
  expect(await ask(desk.page)).toBe('answered')
  expect(await ask(stranger)).toBe('not heard')
})

test('what a page may ask the system for is writing to the clipboard and notifying', async ({ desk }) => {
  const answers = await desk.page.evaluate(async () => {
    const state = (name: string) =>
      navigator.permissions.query({ name: name as PermissionName }).then(
        ({ state }) => state,
        () => 'unknown',
      )
    const camera = await navigator.mediaDevices.getUserMedia({ video: true }).then(
      () => 'granted',
      () => 'denied',
    )
    const place = await new Promise((resolve) => {
      navigator.geolocation.getCurrentPosition(
        () => resolve('granted'),
        () => resolve('denied'),
      )
    })
    return {
      notification: Notification.permission,
      camera,
      place,
      midi: await state('midi'),
      read: await state('clipboard-read'),
    }
  })
  expect(answers).toEqual({ notification: 'granted', camera: 'denied', place: 'denied', midi: 'denied', read: 'denied' })
})
