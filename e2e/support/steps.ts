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
  const chips = form.getByRole('group', { name: `${label}, chosen` }).getByRole('listitem')
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

const SPOKEN = /^(\S+) context, ([\d,]+) at once: ([\d.,]+K?) tokens per second, ([\d.,]+ (?:ms|s)) to first token/

/** What the grid says of its measured cells, as a screen reader hears it. */
export async function measuredCells(page: Page): Promise<RegExpExecArray[]> {
  return (await gridFigures(page)).map((text) => SPOKEN.exec(text)).filter((match) => match !== null)
}

/** The report's "All measurements" say for every cell what the grid said. */
export function expectSameFigures(grid: string[], report: Record<string, string>[]): void {
  const said = grid.flatMap((text) => {
    const match = SPOKEN.exec(text)
    return match === null ? [] : [match.slice(1, 4).join(' · ')]
  })
  const printed = report
    .filter((row) => /decode/i.test(row.Phase ?? ''))
    .map((row) => [row.Context, row['Requests at once'], row['Total tok/s']].join(' · '))
  expect(said.length).toBeGreaterThan(0)
  expect(printed.toSorted()).toEqual(said.toSorted())
}
