import type { Locator } from '@playwright/test'
import { expect, newLink, test } from './support/app.ts'
import { fillChips, tryDemo } from './support/steps.ts'

/** The message that belongs to a field: what a screen reader reads with it. */
async function messageOf(field: Locator): Promise<string> {
  return field.evaluate((element) =>
    (element.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent ?? '')
      .join(' '),
  )
}

/** Typed and left: the message stands beside it, the field says that it is wrong; put right, both go. */
async function expectRefused(field: Locator, text: string, message: RegExp): Promise<void> {
  await field.fill(text)
  await field.press('Tab')
  await expect(field, text).toHaveAttribute('aria-invalid', 'true')
  await expect.poll(() => messageOf(field), { message: text }).toMatch(message)
}

test('a host that can’t be: each field says why beside it', async ({ app }) => {
  const { page } = app
  await page
    .getByRole('button', { name: /add a host/i })
    .first()
    .click()
  const dialog = page.getByRole('dialog', { name: 'Add a host' })
  const [address, name, file] = ['Address', 'Name', 'Identity file'].map((label) => dialog.getByLabel(label)) as [
    Locator,
    Locator,
    Locator,
  ]
  await dialog.getByRole('button', { name: 'Add and connect' }).click()
  await expect.poll(() => messageOf(address)).toContain('Where is it?')
  await expect.poll(() => messageOf(name)).toContain('What do you call it?')
  await expectRefused(address, 'ann @lab', /no spaces/)
  await expectRefused(address, 'lab:70000', /from 1 to 65535/)
  await expectRefused(address, 'a'.repeat(310), /At most 300 characters/)
  await address.fill('ann@lab-3.invalid')
  await expect(name).toHaveValue('lab-3')
  await expect(address).not.toHaveAttribute('aria-invalid', 'true')
  await expectRefused(name, '<b>lab</b>', /Letters, digits, dot, dash and underscore/)
  await expectRefused(name, '-lab', /can’t start with/)
  await expectRefused(name, 'n'.repeat(101), /up to 100/)
  await name.fill('lab-3')
  await expectRefused(file, `/${'k'.repeat(4096)}`, /4,096 characters/)
  await file.fill('')
  await dialog.getByRole('button', { name: 'Add and connect' }).click()
  // It is added; that it can't be reached is said where it stands, with what to do.
  await expect(page.getByRole('alert').first()).toContainText(/lab-3\.invalid|DNS|address/i)
  await expect(page.getByRole('button', { name: 'Find out why (doctor)' })).toBeVisible()

  await page.getByRole('button', { name: 'Add host' }).click()
  await expectRefused(dialog.getByLabel('Name'), 'lab-3', /There is a host of this name already/)
  expect(app.problems).toEqual([])
})

test('a plan that can’t be: limits beside each field, and no run', async ({ app }) => {
  const { page } = app
  await page.getByRole('link', { name: 'Sweep', exact: true }).click()
  const form = page.getByRole('form', { name: 'Plan' })
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await expect.poll(() => messageOf(form.getByRole('combobox', { name: 'Host' }))).toContain('Choose the host')
  await page.getByText('Address (no SSH)').click()
  const url = form.getByRole('textbox', { name: 'Address' })
  for (const [text, message] of [
    ['ftp://10.0.0.5', /Not an http or https address/],
    ['http://ann:secret@10.0.0.5:8000', /password has no place/],
    ['not an address', /Not an http or https address/],
  ] as const) {
    await expectRefused(url, text, message)
  }
  await url.fill('http://127.0.0.1:9')
  await page.getByRole('button', { name: 'Advanced' }).click()
  const numbers: [string, string, RegExp][] = [
    ['Seconds per cell', 'ten', /"ten" is not a number/],
    ['Seconds per cell', '0', /Must be/],
    ['Seconds per cell', '1000000', /Must be/],
    ['Max output', '-5', /Must be/],
    ['Samples per context', '0', /Must be/],
    ['Repeats', '1000', /Must be/],
    ['KV cache size', '1.5', /./],
    ['Settle time', '-1', /Must be/],
    ['Temperature', '9', /Must be/],
    ['Target precision', '0', /Must be/],
    ['Time budget', '0', /Must be/],
    ['Shortest window', '5', /only with a target precision/],
    ['Wait for it at most', 'x', /not a number/],
    ['A driver nobody reads ends after', '0', /Must be/],
  ]
  for (const [label, text, message] of numbers) {
    const field = form.getByRole('textbox', { name: label })
    const before = await field.inputValue()
    await expectRefused(field, text, message)
    await field.fill(before)
    await expect(field).not.toHaveAttribute('aria-invalid', 'true')
  }
  for (const [label, text] of [
    ['Contexts (rows)', '8q'],
    ['Requests at once (columns)', '0'],
  ] as const) {
    const field = form.getByRole('textbox', { name: label })
    await field.fill(text)
    await field.press('Enter')
    await expect(field).toHaveAttribute('aria-invalid', 'true')
    await field.fill('')
  }
  await fillChips(form, 'Contexts (rows)', '0')
  await fillChips(form, 'Requests at once (columns)', '1')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await expect(page.getByRole('alert').first()).toContainText(/127\.0\.0\.1:9|refused|reach/i)
  expect(app.problems).toEqual([])
})

test('a command that can’t be launched says why under its field', async ({ app }) => {
  const { page } = app
  await tryDemo(page)
  const field = page.getByRole('textbox', { name: 'Launch command' })
  const launch = page.getByRole('button', { name: /^Launch\b/ })
  await expectRefused(field, 'rm -rf /', /Not a command that can be launched/)
  await expect(launch).toBeDisabled()
  await expectRefused(field, 'vllm serve "unfinished', /Not a command that can be launched/)
  await field.fill('vllm serve some/model --no-such-flag')
  await expect(launch).toBeEnabled()
  await launch.click()
  await expect(page.getByRole('alert').first()).toContainText('--no-such-flag')
  await page.getByRole('button', { name: 'Edit and try again' }).first().click()
  await expect(field).toHaveValue(/--no-such-flag/)
  expect(app.problems).toEqual([])
})

test('when the engine is gone a banner says so, and the page goes on when it is back', async ({ app }) => {
  test.skip(app.kind === 'window', 'the window starts its own engine again: e2e/window')
  const { page } = app
  await expect(page.getByRole('button', { name: 'Try the demo machine' })).toBeVisible()
  const banner = page.getByText('The engine is gone')
  app.serve?.running.child.kill('SIGKILL')
  await expect(banner).toBeVisible()
  await app.restart('SIGKILL')
  // The new engine knows no old cookie: its link, opened in this browser, lets every page of it in again.
  const anew = page.getByText('The engine was started anew')
  await expect(anew).toBeVisible()
  const another = await page.context().newPage()
  await another.goto(await newLink(app.person))
  await expect(anew).toBeHidden()
  await expect(banner).toBeHidden()
  await tryDemo(page)
})
