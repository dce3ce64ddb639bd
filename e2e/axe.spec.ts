import { expect, test } from './support/app.ts'
import { startDemoLab } from './support/lab.ts'
import { look } from './support/look.ts'
import { documentOf, fillPlan, launch, tryDemo, waitForFinished } from './support/steps.ts'

test.describe('no violations of axe, light and dark', () => {
  test('first start, hosts and their dialogs', async ({ app }) => {
    const { page, person } = app
    await expect(page.getByRole('button', { name: 'Try the demo machine' })).toBeVisible()
    await look(page, 'first start')
    await page.getByRole('button', { name: /add a host/i }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a host' })
    await dialog.getByRole('button', { name: 'Add and connect' }).click()
    await look(page, 'add a host')
    const lab = await startDemoLab(person)
    const { user, port, clientKeyPath } = lab.facts
    await dialog.getByLabel('Address').fill(`${user}@127.0.0.1:${port}`)
    await dialog.getByLabel('Name').fill('lab-1')
    await dialog.getByLabel('Identity file').fill(clientKeyPath)
    await dialog.getByRole('button', { name: 'Add and connect' }).click()
    const key = page.getByRole('dialog', { name: /^Host key of/ })
    await expect(key.getByRole('button', { name: 'Trust this key' })).toBeVisible()
    await look(page, 'host key')
    await key.getByRole('button', { name: 'Trust this key' }).click()
    await expect(page.getByRole('link', { name: 'Launch here' })).toBeVisible()
    await page.getByRole('button', { name: 'Doctor' }).click()
    await expect(
      page
        .getByRole('button', { name: /Check again|Again|Run again/ })
        .or(page.getByText(/passed|pass\b/i))
        .first(),
    ).toBeVisible()
    await look(page, 'hosts')
    await page.keyboard.press('Control+k')
    await expect(page.getByPlaceholder('Search commands, hosts and runs')).toBeVisible()
    await look(page, 'palette')
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Settings' }).click()
    await expect(page.getByRole('heading', { name: 'Appearance' })).toBeVisible()
    await look(page, 'settings')
    for (const [screen, heading] of [
      ['History', 'History'],
      ['Report', 'Report'],
      ['Sweep', 'New sweep'],
    ] as const) {
      await page.getByRole('link', { name: screen, exact: true }).click()
      await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
      await look(page, `${screen.toLowerCase()}, empty`)
    }
    expect(app.problems).toEqual([])
    await lab.stop()
  })

  test('launch, sweep', async ({ app }) => {
    const { page } = app
    await tryDemo(page)
    await look(page, 'launch')
    await launch(page)
    await look(page, 'launch, ready')
    await page.getByRole('button', { name: 'Server', exact: true }).click()
    await expect(page.getByRole('button', { name: 'Stop', exact: true })).toBeVisible()
    await look(page, 'server')
    await page.getByRole('button', { name: 'Plan a sweep' }).click()
    await fillPlan(page, { contexts: '0, 2k', levels: '1, 2, 512', seconds: '2', maxOutput: '256' })
    await page.getByRole('button', { name: 'Ask the server' }).click()
    await expect(page.getByText(/\d cells/).first()).toBeVisible()
    await look(page, 'sweep, plan')
    await fillPlan(page, { contexts: '0, 2k', levels: '1, 2', seconds: '2', maxOutput: '256' })
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await expect(page.getByRole('gridcell', { name: /being measured/ })).toBeVisible()
    await look(page, 'sweep, running')
    await waitForFinished(page)
    await page.getByRole('gridcell', { name: /^2K context, 2 at once/ }).click()
    await expect(
      page.getByRole('region', { name: 'Cell details' }).getByRole('region', { name: 'Requests', exact: true }),
    ).toBeVisible()
    await look(page, 'sweep, finished')
    await page.getByText('Charts', { exact: true }).click()
    await expect(page.locator('canvas, svg[role="img"], [role="img"] svg').first()).toBeVisible()
    await look(page, 'sweep, charts')
    await page.getByText('Telemetry', { exact: true }).click()
    await look(page, 'sweep, telemetry')
    expect(app.problems).toEqual([])
  })

  test('cell, history, report', async ({ app }) => {
    const { page, person } = app
    const lab = await startDemoLab(person)
    await lab.add(person)
    await lab.launch(person)
    await person.json('sweep --host lab --contexts 0,2k --concurrency 1,2 --seconds 2 --max-output 256'.split(' '))
    await page.reload()
    const { id: runId } = await documentOf(person)
    const go = (hash: string) =>
      page.evaluate((to) => {
        location.hash = to
      }, hash)
    await go(`#/cell/${runId}/2048/2`)
    await expect(page.getByRole('region', { name: 'Requests', exact: true })).toBeVisible()
    await look(page, 'cell')
    await go('#/history')
    await expect(page.getByRole('grid', { name: 'Runs' }).getByRole('row')).toHaveCount(2)
    await look(page, 'history')
    await go(`#/history/${runId}`)
    await expect(page.getByRole('heading', { level: 1, name: 'Run' })).toBeVisible()
    await look(page, 'history, run')
    await page.getByRole('button', { name: 'Tags and note' }).click()
    await look(page, 'history, tags and note')
    await page.keyboard.press('Escape')
    await page.getByText('Facts', { exact: true }).click()
    await look(page, 'history, facts')
    await go(`#/report/${runId}`)
    await expect(page.frameLocator('iframe').getByText('Speed test matrix', { exact: true })).toBeVisible()
    await look(page, 'report')
    expect(app.problems).toEqual([])
    await lab.stop()
  })
})
