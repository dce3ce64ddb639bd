import { expect, type Locator, type Page } from '@playwright/test'
import type { RunDocument } from '../../src/shared/model/run.ts'
import type { Person } from '../../test/program/speedgrid.ts'

/** A sweep that is over in a minute: 3 contexts × 4 levels of one second each. */
export const TWELVE_CELLS = { contexts: '0, 2k, 8k', levels: '1, 2, 4, 8', seconds: '1', maxOutput: '256' }

/** Resolves on the launch screen, with the machine's own command in the field. */
export async function tryDemo(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Try the demo machine' }).click()
  await expect(page.getByRole('textbox', { name: 'Launch command' })).toHaveValue(/vllm serve/)
}

/** From the launch screen to a ready server. */
export async function launch(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Launch\b/ }).click()
  await expect(page.getByRole('button', { name: 'Plan a sweep' })).toBeVisible()
}

export interface PlanTexts {
  contexts: string
  levels: string
  seconds: string
  maxOutput: string
}

export async function fillPlan(page: Page, plan: PlanTexts): Promise<void> {
  const form = page.getByRole('form', { name: 'Plan' })
  await fillChips(form, 'Contexts (rows)', plan.contexts)
  await fillChips(form, 'Requests at once (columns)', plan.levels)
  await form.getByLabel('Seconds per cell').fill(plan.seconds)
  await form.getByLabel('Max output').fill(plan.maxOutput)
}

export async function fillChips(form: Locator, label: string, text: string): Promise<void> {
  const field = form.getByRole('textbox', { name: label })
  await field.waitFor()
  const group = field.locator('xpath=ancestor::*[@role="list"]')
  const chips = group.getByRole('listitem')
  for (let left = await chips.count(); left > 0; left -= 1) {
    await field.press('Backspace')
    await expect(chips).toHaveCount(left - 1)
  }
  await field.fill(text)
  await field.press('Enter')
  await expect(chips).not.toHaveCount(0)
}

/** What the grid shows: first line of each cell by its place. */
export async function gridFigures(page: Page): Promise<string[]> {
  const cells = page.getByRole('grid').getByRole('gridcell')
  return (await cells.evaluateAll((all) => all.map((cell) => cell.getAttribute('aria-label') ?? ''))).filter(
    (text) => text !== '',
  )
}

export const stateOf = (page: Page, state: string): Locator => page.locator('#screen').getByText(state, { exact: true })

export async function waitForFinished(page: Page): Promise<void> {
  await expect(stateOf(page, 'Finished')).toBeVisible({ timeout: 180_000 })
}

export async function documentOf(person: Person, run = 'last'): Promise<RunDocument> {
  return person.json<RunDocument>(['show', run])
}

export const runIdOf = (page: Page): string => /#\/(?:sweep|report|history|cell)\/([^/?]+)/.exec(page.url())?.[1] ?? ''
