import type { Page } from '@playwright/test'
import type { App } from './support/app.ts'
import { expect, newLink, test, watchProblems } from './support/app.ts'
import { startDemoLab } from './support/lab.ts'
import { documentOf, fillPlan, gridFigures, runIdOf, stateOf, waitForFinished } from './support/steps.ts'

const PLAN = { contexts: '0, 2k, 8k', levels: '1, 2, 4, 8', seconds: '1', maxOutput: '256' }

/** A sweep on a machine that outlives the engine; resolves when three of its cells are there. */
async function startSweep(app: App): Promise<{ runId: string; stopLab: () => Promise<void> }> {
  const { page, person } = app
  const lab = await startDemoLab(person)
  await lab.add(person)
  const server = await lab.launch(person)
  await page.goto(`${app.serve?.address ?? ''}/#/sweep?host=lab&server=${server}`)
  await page.reload()
  await fillPlan(page, PLAN)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await expect(page.getByRole('grid')).toBeVisible()
  await waitForCells(page, 3)
  return { runId: runIdOf(page), stopLab: () => lab.stop() }
}

const measured = async (page: Page) => (await gridFigures(page)).filter((text) => /at once: [\d,.]+ tokens per second/.test(text))

async function waitForCells(page: Page, count: number): Promise<void> {
  await expect.poll(async () => (await measured(page)).length, { timeout: 90_000 }).toBeGreaterThanOrEqual(count)
}

/** Every cell is there, and none was measured twice. */
async function expectComplete(app: App, runId: string): Promise<void> {
  const run = await documentOf(app.person, runId)
  expect(run.state).toBe('finished')
  expect(run.cells).toHaveLength(12)
  expect(run.cells.map(({ status, attempts }) => ({ status, attempts }))).toEqual(
    Array.from({ length: 12 }, () => ({ status: 'valid', attempts: 1 })),
  )
}

test('a reload and a second page in mid-sweep show the same', async ({ app }) => {
  const { page } = app
  const { runId, stopLab } = await startSweep(app)
  const before = await measured(page)
  await page.reload()
  await expect(stateOf(page, 'Running')).toBeVisible()
  await waitForCells(page, before.length)
  expect(await measured(page)).toEqual(expect.arrayContaining(before))

  const second = await app.openPage()
  await second.goto(page.url())
  await waitForCells(second, before.length)
  expect(await measured(second)).toEqual(expect.arrayContaining(before))
  await Promise.all([waitForFinished(page), waitForFinished(second)])
  await expect.poll(() => gridFigures(second)).toEqual(await gridFigures(page))
  await expectComplete(app, runId)
  expect(app.problems).toEqual([])
  await stopLab()
})

for (const signal of ['SIGINT', 'SIGKILL'] as const) {
  test(`every page closed and the engine ended by ${signal} in mid-sweep: the grid is complete, nothing measured twice`, async ({
    app,
  }) => {
    const { page } = app
    const { runId, stopLab } = await startSweep(app)
    const before = await measured(page)
    const context = page.context()
    await page.close()
    await app.restart(signal)
    const again = await context.newPage()
    watchProblems(again, app.problems)
    await again.goto(await newLink(app.person))
    await again.waitForURL(`${app.serve?.address ?? ''}/`)
    await again.goto(`${app.serve?.address ?? ''}/#/sweep/${runId}`)
    await expect(again.getByRole('grid')).toBeVisible()
    await waitForCells(again, before.length)
    expect(await measured(again)).toEqual(expect.arrayContaining(before))
    const goOn = again.getByRole('button', { name: 'Go on with the run' })
    await expect(goOn.or(stateOf(again, 'Finished'))).toBeVisible({ timeout: 120_000 })
    await waitForFinished(again)
    await expectComplete(app, runId)
    expect(app.problems).toEqual([])
    await stopLab()
  })
}
