import type { Locator, Page } from '@playwright/test'
import { expect, test } from './support/app.ts'
import { TWELVE_CELLS, waitForFinished } from './support/steps.ts'

/** Tab until the element has the focus, as a person does; every stop on the way must be seen. */
async function tabTo(page: Page, target: Locator, { most = 90, back = false } = {}): Promise<void> {
  await target.waitFor()
  for (let stops = 0; stops <= most; stops += 1) {
    if (await target.evaluate((element) => element === document.activeElement || element.contains(document.activeElement))) {
      // Colours may take a moment to change.
      await expect.poll(() => focusSeen(page)).toBe('seen')
      return
    }
    await page.keyboard.press(back ? 'Shift+Tab' : 'Tab')
  }
  throw new Error(`${String(most)} tabs don't lead to ${String(target)}`)
}

/** The focus has an outline, a ring or another border of its own; hidden inputs show it on what stands for them. */
function focusSeen(page: Page): Promise<string> {
  return page.evaluate(() => {
    const focused = document.activeElement
    if (focused === null || focused === document.body) return 'nothing has the focus'
    const around: Element[] = [focused, ...(focused.nextElementSibling === null ? [] : [focused.nextElementSibling])]
    for (let up = focused.parentElement; up !== null && around.length < 6; up = up.parentElement) around.push(up)
    const isSeen = around.some((element) => {
      const { outlineStyle, outlineWidth, boxShadow, borderTopColor } = getComputedStyle(element)
      if ((outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none') return true
      const after = getComputedStyle(element, '::after')
      if (after.content !== 'none' && after.borderTopStyle !== 'none') return true
      // A text field has its border in another colour than the one of a field without the focus.
      if (!/Input-input/.test(element.className) || element.parentElement === null) return false
      const probe = element.parentElement.appendChild(document.createElement('i'))
      probe.style.borderTop = '1px solid var(--input-bd-focus)'
      const { borderTopColor: wanted } = getComputedStyle(probe)
      probe.remove()
      return borderTopColor === wanted
    })
    return isSeen ? 'seen' : focused.outerHTML.slice(0, 200)
  })
}

test('the whole path by keyboard alone', async ({ app }) => {
  const { page } = app
  await tabTo(page, page.getByRole('button', { name: 'Try the demo machine' }))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: 'Launch command' })).toHaveValue(/vllm serve/)
  await page.keyboard.press('Control+Enter')
  const plan = page.getByRole('button', { name: 'Plan a sweep' })
  await tabTo(page, plan)
  await page.keyboard.press('Enter')

  const form = page.getByRole('form', { name: 'Plan' })
  for (const [label, text] of [
    ['Contexts (rows)', TWELVE_CELLS.contexts],
    ['Requests at once (columns)', TWELVE_CELLS.levels],
  ] as const) {
    const field = form.getByRole('textbox', { name: label })
    await tabTo(page, field)
    const chips = form.getByRole('group', { name: `${label}, chosen` }).getByRole('listitem')
    for (let left = await chips.count(); left > 0; left -= 1) await page.keyboard.press('Backspace')
    await expect(chips).toHaveCount(0)
    await page.keyboard.type(text)
    await page.keyboard.press('Enter')
  }
  for (const [label, text] of [
    ['Seconds per cell', TWELVE_CELLS.seconds],
    ['Max output', TWELVE_CELLS.maxOutput],
  ] as const) {
    await tabTo(page, form.getByRole('textbox', { name: label }))
    await page.keyboard.press('Control+A')
    await page.keyboard.type(text)
  }
  await page.keyboard.press('Alt+D')
  await expect(page.getByText('12 cells', { exact: true })).toBeVisible()
  await page.keyboard.press('Control+Enter')
  await waitForFinished(page)

  // Into the grid, to its last cell, into its details and back.
  const grid = page.getByRole('grid')
  await tabTo(page, grid)
  await page.keyboard.press('Control+End')
  await expect(page.getByRole('gridcell', { name: /^8K context, 8 at once/ })).toBeFocused()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowLeft')
  await expect(page.getByRole('gridcell', { name: /^2K context, 4 at once/ })).toBeFocused()
  await page.keyboard.press('Enter')
  const details = page.getByRole('region', { name: 'Cell details' })
  await expect(details).toBeFocused()
  await expect(details.getByRole('heading', { name: '2K × 4' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('gridcell', { name: /^2K context, 4 at once/ })).toBeFocused()

  await page.keyboard.press('Control+4')
  const runs = page.getByRole('grid', { name: 'Runs' })
  await tabTo(page, runs.getByRole('row').nth(1))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('gridcell', { name: /^8K context, 8 at once/ })).toBeVisible()
  await page.keyboard.press('Control+k')
  await expect(page.getByPlaceholder('Search commands, hosts and runs')).toBeFocused()
  await page.keyboard.type('report of this run')
  await page.keyboard.press('Enter')
  await expect(page.frameLocator('iframe').getByText('Speed test matrix', { exact: true })).toBeVisible()
  await tabTo(page, page.getByRole('button', { name: 'Export Markdown' }))
  const arriving = page.waitForEvent('download')
  await page.keyboard.press('Enter')
  expect((await arriving).suggestedFilename()).toMatch(/\.md$/)
  expect(app.problems).toEqual([])
})

test('dialogs take the focus, keep it, and give it back', async ({ app }) => {
  const { page } = app
  const add = page.getByRole('button', { name: 'add a host of your own' })
  await tabTo(page, add)
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Add a host' })
  await expect(dialog.getByLabel('Address')).toBeFocused()
  for (let stop = 0; stop < 12; stop += 1) {
    await page.keyboard.press('Tab')
    expect(await dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true)
  }
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(add).toBeFocused()

  await page.keyboard.press('Control+k')
  await expect(page.getByPlaceholder('Search commands, hosts and runs')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(add).toBeFocused()
})
