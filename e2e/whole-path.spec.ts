import { expect, test } from './support/app.ts'
import { expectAccessible } from './support/look.ts'
import { measurements, openAlone, withExport } from './support/report.ts'
import {
  expectSameFigures,
  fillPlan,
  gridFigures,
  launch,
  measuredCells,
  TWELVE_CELLS,
  tryDemo,
  waitForFinished,
} from './support/steps.ts'

test('from the first start to a report that was exported and opened', async ({ app, browser }) => {
  const { page } = app
  await tryDemo(page)
  await launch(page)
  await expect(page.getByRole('region', { name: 'Start-up' }).getByRole('listitem')).not.toHaveCount(0)
  await page.getByRole('button', { name: 'Plan a sweep' }).click()
  await fillPlan(page, TWELVE_CELLS)
  await page.getByRole('button', { name: 'Ask the server' }).click()
  await expect(page.getByText('12 cells', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Run', exact: true }).click()

  // The grid fills in: there is a time with some cells and not all.
  await expect.poll(async () => (await measuredCells(page)).length).toBeGreaterThan(0)
  expect((await measuredCells(page)).length).toBeLessThan(12)
  await waitForFinished(page)
  const figures = await gridFigures(page)
  expect(await measuredCells(page)).toHaveLength(12)

  await page.getByRole('gridcell', { name: /^8K context, 8 at once/ }).dblclick()
  const details = page.getByRole('region', { name: 'Cell details' })
  await expect(details).toBeFocused()
  await expect(details.getByRole('heading', { name: '8K × 8' })).toBeVisible()
  await expect(details.getByRole('region', { name: 'Requests', exact: true })).toBeVisible()
  await expect(details.getByRole('region', { name: 'Tries', exact: true }).getByRole('listitem')).toHaveCount(1)

  await page.getByRole('link', { name: 'History' }).click()
  const row = page.getByRole('grid', { name: 'Runs' }).getByRole('row').nth(1)
  await expect(row).toContainText('12')
  await row.getByRole('link').click()
  await expect.poll(() => gridFigures(page)).toEqual(figures)
  await page.getByRole('button', { name: 'Report', exact: true }).click()
  await expect(page.frameLocator('iframe').getByText('Speed test matrix', { exact: true })).toBeVisible()

  await withExport(app, 'HTML', async (path) => {
    expect(path).toMatch(/\.html$/)
    await openAlone(browser, path, async (alone) => {
      await expect(alone.getByText('Speed test matrix', { exact: true })).toBeVisible()
      expectSameFigures(figures, await measurements(alone))
      for (const colorScheme of ['light', 'dark'] as const) {
        await alone.emulateMedia({ colorScheme })
        await expectAccessible(alone, `report, ${colorScheme}`)
      }
    })
  })
  expect(app.problems).toEqual([])
})
