import { newLink, startServe } from '../support/app.ts'
import { expect, test, waitForEngine } from './desk.ts'

test('the window attaches to an engine that somebody else runs, and comes back', async ({ desk, office }) => {
  const { page, app } = desk
  const { person } = office
  await waitForEngine(page)
  const served = await startServe({
    ...person,
    start: (args, options) => person.start(args, { ...options, env: { SPEEDGRID_DATA_DIR: `${person.dataDir}-served` } }),
  })
  const title = () => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().map((window) => window.getTitle()))

  const opened = app.waitForEvent('window')
  await desk.choose('engine.attach')
  const form = await opened
  await form.getByLabel('Link').fill('http://lab.example/open?token=x')
  await form.getByRole('button', { name: 'Attach' }).click()
  await expect(form.getByRole('alert')).toContainText('no address of an engine')
  await form.getByLabel('Link').fill(`${served.address}/open?token=wrong`)
  await form.getByRole('button', { name: 'Attach' }).click()
  await expect(form.getByRole('alert')).toContainText('not valid any more')

  await form.getByLabel('Link').fill(served.link)
  const closed = form.waitForEvent('close')
  await form.getByRole('button', { name: 'Attach' }).click()
  await closed
  await expect.poll(title).toEqual([`Speedgrid — 127.0.0.1:${String(served.port)}`])
  await waitForEngine(page)
  await expect(page.getByRole('button', { name: 'Try the demo machine' })).toBeVisible()
  expect((await desk.call('abilities', null)).value).toMatchObject({ saveFile: false, reveal: false })

  // The engine is somebody else's: it goes on when the window has left.
  await desk.choose('engine.detach')
  await expect.poll(title).toEqual(['Speedgrid'])
  await waitForEngine(page)
  expect((await desk.call('abilities', null)).value).toMatchObject({ saveFile: true })
  expect(served.running.child.exitCode).toBeNull()
  expect(
    await newLink({
      ...person,
      run: (args, options) => person.run(args, { ...options, env: { SPEEDGRID_DATA_DIR: `${person.dataDir}-served` } }),
    }),
  ).toContain('token=')
})
