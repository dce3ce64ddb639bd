import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { sshdMissing, startSshd } from '../test/sshd.ts'
import { expect, test } from './support/app.ts'
import { startAskingHost } from './support/asking-host.ts'

async function addByHand(page: Page, host: { target: string; name: string; identity?: string }): Promise<void> {
  await page
    .getByRole('button', { name: /add a host/i })
    .first()
    .click()
  const dialog = page.getByRole('dialog', { name: 'Add a host' })
  await dialog.getByRole('tab', { name: 'By hand' }).click()
  await dialog.getByLabel('Address').fill(host.target)
  await dialog.getByLabel('Name').fill(host.name)
  await dialog.getByLabel('Identity file').fill(host.identity ?? '')
  await dialog.getByRole('button', { name: 'Add and connect' }).click()
}

const connected = (page: Page) => page.getByRole('link', { name: 'Launch here' })

test.describe('a real sshd', () => {
  test.skip(sshdMissing() !== undefined, sshdMissing())

  test('an unknown key is shown with its fingerprint, a changed one is refused until it is typed', async ({ app }) => {
    const { page } = app
    const sshd = await startSshd({ keepFolder: true })
    try {
      await addByHand(page, { target: `${sshd.user}@127.0.0.1:${sshd.port}`, name: 'lab', identity: sshd.clientKeyPath })
      const unknown = page.getByRole('dialog', { name: /^Host key of/ })
      await expect(unknown.getByText('This host was never seen before')).toBeVisible()
      await expect(unknown.getByText(sshd.hostKeyFingerprint)).toBeVisible()
      await expect(unknown.getByRole('button', { name: 'Cancel' })).toBeFocused()
      await unknown.getByRole('button', { name: 'Cancel' }).click()
      await expect(page.getByRole('alert').first()).toContainText(/key/i)
      await expect(connected(page)).toBeHidden()

      await page.getByRole('button', { name: 'Connect again' }).click()
      await unknown.getByRole('button', { name: 'Trust this key' }).click()
      await expect(connected(page)).toBeVisible()
    } finally {
      await sshd.stop()
    }
    for (const name of ['host_key', 'host_key.pub']) rmSync(join(sshd.folder, name))
    const other = await startSshd({ port: sshd.port, folder: sshd.folder })
    try {
      // The link noticed by itself that the host is another one now, or is asked to look.
      const key = page.getByRole('button', { name: 'Look at the key…' })
      const again = page.getByRole('button', { name: /^(Connect|Connect again|Look again)$/ }).first()
      await expect(async () => {
        if (!(await key.isVisible())) await again.click({ timeout: 2000 })
        await expect(key).toBeVisible({ timeout: 5000 })
      }).toPass({ timeout: 90_000 })
      await key.click()
      const changed = page.getByRole('dialog', { name: /^Host key of/ })
      await expect(changed.getByText('The host offers another key than before')).toBeVisible()
      await expect(changed.getByText(sshd.hostKeyFingerprint)).toBeVisible()
      await expect(changed.getByText(other.hostKeyFingerprint)).toBeVisible()
      await expect(changed.getByRole('button', { name: 'Cancel' })).toBeFocused()
      const trust = changed.getByRole('button', { name: 'Trust the changed key' })
      await expect(trust).toBeDisabled()
      await changed.getByRole('textbox').fill('wrong!')
      await trust.click()
      await expect(changed.getByText('These are not the last characters of the key offered now.')).toBeVisible()
      await changed.getByRole('textbox').fill(other.hostKeyFingerprint.slice(-6))
      await trust.click()
      await expect(connected(page)).toBeVisible()
    } finally {
      await other.stop()
    }
  })

  test('a question whose connection is gone is taken away, and the engine goes on', async ({ app }) => {
    const { page } = app
    const sshd = await startSshd({ config: ['LoginGraceTime 2'] })
    try {
      await addByHand(page, { target: `${sshd.user}@127.0.0.1:${sshd.port}`, name: 'lab', identity: sshd.clientKeyPath })
      const question = page.getByRole('dialog', { name: /^Host key of/ })
      await expect(question).toBeVisible()
      // Nobody answers in the host's time.
      await expect(question).toBeHidden({ timeout: 30_000 })
      await expect(page.getByText(/^The connection to .* ended while a question was waiting/).first()).toBeVisible()
      await expect(page.getByRole('alert').first()).toContainText('speedgrid hosts trust lab')
      await page.getByRole('button', { name: 'Connect again' }).click()
      await expect(question).toBeVisible()
      sshd.cutConnections()
      await expect(question).toBeHidden()
      await page.getByRole('button', { name: 'Connect again' }).click()
      await question.getByRole('button', { name: 'Trust this key' }).click()
      await expect(connected(page)).toBeVisible()
      expect(app.serve?.running.child.exitCode ?? null).toBeNull()
      expect(app.problems).toEqual([])
    } finally {
      await sshd.stop()
    }
  })

  test('the passphrase of a key is asked for, once more when it is wrong', async ({ app }) => {
    const { page } = app
    const sshd = await startSshd({ clientKeyPassphrase: 'open sesame' })
    try {
      await addByHand(page, { target: `${sshd.user}@127.0.0.1:${sshd.port}`, name: 'lab', identity: sshd.clientKeyPath })
      await page
        .getByRole('dialog', { name: /^Host key of/ })
        .getByRole('button', { name: 'Trust this key' })
        .click()
      const question = page.getByRole('dialog', { name: /A question/ })
      const field = question.getByLabel(/passphrase/i)
      await expect(field).toHaveAttribute('type', 'password')
      await expect(field).toBeFocused()
      await field.fill('wrong')
      await field.press('Enter')
      await expect(question.getByText('That was not it.')).toBeVisible()
      await expect(field).toHaveValue('')
      await field.fill('open sesame')
      await field.press('Enter')
      await expect(connected(page)).toBeVisible()
    } finally {
      await sshd.stop()
    }
  })
})

test('password and code of a host are asked for, and what the host says is text', async ({ app }) => {
  const { page } = app
  const hostile = 'Code <img src=x onerror="window.hacked=1"> \u001B[31mnow\u001B[0m: '
  const host = await startAskingHost(app.person.temporary, hostile)
  try {
    await addByHand(page, { target: `ann@127.0.0.1:${host.port}`, name: 'lab' })
    await page
      .getByRole('dialog', { name: /^Host key of/ })
      .getByRole('button', { name: 'Trust this key' })
      .click()
    const question = page.getByRole('dialog', { name: /A question/ })
    await question.getByLabel(/^Password for ann@127\.0\.0\.1/).fill(host.password)
    await question.getByRole('button', { name: 'Send' }).click()
    const code = question.getByLabel(/Code <img src=x onerror="window\.hacked=1">/)
    await code.fill(host.code)
    await code.press('Enter')
    await expect(connected(page)).toBeVisible()
    expect(await page.evaluate(() => [document.querySelector('img[src="x"]'), 'hacked' in window])).toEqual([null, false])
    expect(app.problems).toEqual([])
  } finally {
    host.close()
  }
})
