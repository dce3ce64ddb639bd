import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { StartedServe } from '../../serve/types.ts'
import { createHarness, type Harness } from '../testing/harness.ts'

const LINK = 'http://127.0.0.1:8137/open?token=tok'
let cli: Harness
let ended: number
let asked: { port?: number | undefined }[]
beforeEach(() => {
  cli = createHarness()
  ended = 0
  asked = []
})
afterEach(() => cli.dispose())

function serving(change: Partial<StartedServe> = {}) {
  cli.startServe = (options) => {
    asked.push({ port: options.port })
    return Promise.resolve({
      link: LINK,
      address: 'http://127.0.0.1:8137',
      port: 8137,
      pid: 4711,
      ours: true,
      dependents: () => [],
      dispose: () => {
        ended += 1
        return Promise.resolve()
      },
      ...change,
    })
  }
}

it('prints a link, runs until Ctrl-C, says what it interrupts, and ends well', async () => {
  serving({ dependents: () => ['Nightly'] })
  const running = cli.run('serve', '--port', '8137')
  await vi.waitFor(() => expect(cli.stdout().text()).toContain(LINK))
  expect(cli.stdout().text()).toMatch(/^Speedgrid is at http:\/\/127\.0\.0\.1:8137\n/)
  expect(ended).toBe(0)
  cli.signal('interrupt')
  const { code, stderr } = await running
  expect([code, ended > 0, asked]).toEqual([0, true, [{ port: 8137 }]])
  expect(stderr).toContain('ssh -L 8137:127.0.0.1:8137')
  expect(stderr).toContain('Interrupting Nightly')
})

it('an error that nothing caught ends it in good order, with an id and 1; one of a single connection does not', async () => {
  serving()
  const running = cli.run('serve')
  await vi.waitFor(() => expect(cli.stdout().text()).toContain(LINK))
  cli.bug(new TypeError('late call'), true)
  await vi.waitFor(() => expect(cli.stderr().text()).toMatch(/went wrong \(id \w{8}\); one connection was ended/))
  expect(ended).toBe(0)
  cli.bug(new TypeError('worse'), false)
  const { code, stderr } = await running
  expect([code, ended]).toEqual([1, 1])
  expect(stderr).toMatch(/Error: Something unexpected went wrong \(id \w{8}\)\./)
  expect(stderr).not.toContain('worse')
})

it('with --json one document, while it runs', async () => {
  serving()
  const running = cli.run('--json', 'serve')
  await vi.waitFor(() => expect(cli.stdout().text()).toContain('token'))
  expect(JSON.parse(cli.stdout().text())).toEqual({
    address: 'http://127.0.0.1:8137',
    link: LINK,
    port: 8137,
    pid: 4711,
    started: true,
  })
  cli.signal('interrupt')
  expect((await running).code).toBe(0)
})

it('where one runs already: its new link, and done; another port is refused', async () => {
  serving({ ours: false })
  const again = await cli.run('serve')
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('runs already')])
  expect(again.stdout).toContain(LINK)
  const other = await cli.run('serve', '--port', '9000')
  expect([other.code, other.stdout]).toEqual([1, ''])
  expect(other.stderr).toContain('served already')
})

it('without a screen --open says that the link is for the person to open', async () => {
  serving({ ours: false })
  const { stderr, code } = await cli.run('serve', '--open')
  expect([code, stderr]).toEqual([0, expect.stringContaining('No browser could be opened')])
})

it('a wrong port, and a port that is taken', async () => {
  serving()
  expect((await cli.run('serve', '--port', 'x')).code).toBe(2)
  const { SpeedgridError } = await import('../../../shared/model/error.ts')
  cli.startServe = () => Promise.reject(new SpeedgridError('conflict', 'Port 1 is in use.'))
  expect(await cli.run('serve', '--port', '1')).toMatchObject({ code: 1, stderr: expect.stringContaining('in use') as string })
})
