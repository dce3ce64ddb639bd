import { expect, test } from './support/app.ts'
import { fillPlan, gridFigures, launch, TWELVE_CELLS, tryDemo, waitForFinished } from './support/steps.ts'

test('from the first start to a report that was exported and opened', async ({ app }) => {
  const { page } = app
  await tryDemo(page)
  await launch(page)
  await page.screenshot({ path: 'test-results/debug-launch.png' })
  await page.getByRole('button', { name: 'Plan a sweep' }).click()
  await fillPlan(page, TWELVE_CELLS)
  await page.getByRole('button', { name: 'Ask the server' }).click()
  await expect(page.getByText('12 cells', { exact: true })).toBeVisible()
  await page.screenshot({ path: 'test-results/debug-plan.png' })
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await waitForFinished(page)
  console.log(await gridFigures(page))
  await page.screenshot({ path: 'test-results/debug-sweep.png' })
  expect(app.problems).toEqual([])
})
