import { openLab } from '../test/vllm/lab.ts'
import { expect, test } from './support/app.ts'
import { measurements, openAlone, withExport } from './support/report.ts'
import { documentOf, expectSameFigures, fillPlan, gridFigures, measuredCells, waitForFinished } from './support/steps.ts'

test('the whole path on a real vLLM over a real sshd', async ({ app, browser }) => {
  test.skip(!process.env.SPEEDGRID_VLLM, 'SPEEDGRID_VLLM names no vllm executable')
  test.setTimeout(900_000)
  const { page } = app
  const lab = await openLab()
  let server = ''
  try {
    await page.getByRole('button', { name: 'add a host of your own' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a host' })
    await dialog.getByLabel('Address').fill(`${lab.sshd.user}@127.0.0.1:${lab.sshd.port}`)
    await dialog.getByLabel('Name').fill('lab')
    await dialog.getByLabel('Identity file').fill(lab.sshd.clientKeyPath)
    await dialog.getByRole('button', { name: 'Add and connect' }).click()
    const key = page.getByRole('dialog', { name: /^Host key of/ })
    await expect(key.getByText(lab.sshd.hostKeyFingerprint)).toBeVisible()
    await key.getByRole('button', { name: 'Trust this key' }).click()
    await page.getByRole('link', { name: 'Launch here' }).click()

    const command = page.getByRole('textbox', { name: 'Launch command' })
    await command.fill(lab.serveWords().join(' '))
    await page.getByRole('button', { name: /^Launch\b/ }).click()
    const plan = page.getByRole('button', { name: 'Plan a sweep' })
    await expect(plan).toBeVisible({ timeout: 400_000 })
    await expect(page.getByRole('region', { name: 'Start-up' }).getByRole('listitem').nth(4)).toBeVisible()
    await plan.click()
    await page.waitForURL(/server=/)
    server = /server=([^&]+)/.exec(page.url())?.[1] ?? ''
    await fillPlan(page, { contexts: '0, 2k', levels: '1, 4', seconds: '3', maxOutput: '128' })
    await page.getByRole('button', { name: 'Ask the server' }).click()
    await expect(page.getByText('4 cells', { exact: true })).toBeVisible()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await waitForFinished(page)
    const figures = await gridFigures(page)
    expect(await measuredCells(page)).toHaveLength(4)
    const run = await documentOf(app.person)
    expect(run.demo).toBe(false)
    // Context 0 is what the chat template itself makes of a short question.
    expect(run.cells.filter((cell) => cell.contextTokens > 0).map((cell) => cell.promptTokens)).toEqual([2048, 2048])

    await page.getByRole('button', { name: 'More about this run' }).click()
    await page.getByRole('menuitem', { name: 'Report' }).click()
    await withExport(app, 'HTML', (path) =>
      openAlone(browser, path, async (alone) => {
        expectSameFigures(figures, await measurements(alone))
      }),
    )
    await page.getByRole('link', { name: 'Launch', exact: true }).click()
    await page.getByRole('region', { name: 'On lab' }).getByRole('link').last().click()
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.getByRole('button', { name: 'Stop the server' }).click()
    await expect(page.getByRole('heading', { name: 'Stopped, and nothing is left' })).toBeVisible({ timeout: 120_000 })
    server = ''
    expect(app.problems).toEqual([])
  } finally {
    if (server !== '') await app.person.run(['stop', 'lab', server])
    await lab.dispose()
  }
})
