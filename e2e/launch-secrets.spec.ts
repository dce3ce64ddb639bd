import { expect, test } from './support/app.ts'
import { launch, tryDemo } from './support/steps.ts'

test('a command with a secret is launched and saved; the secret goes to the server and into nothing that is kept', async ({
  app,
}) => {
  const { page } = app
  await tryDemo(page)
  const command = page.getByRole('textbox', { name: 'Launch command' })
  const plain = await command.inputValue()
  await command.fill(`HF_TOKEN=hf_plantedSecret42 ${plain} 2>&1 | tee vllm.log; ls`)
  await command.blur()
  await expect(command).toHaveValue(`${plain} 2>&1 | tee vllm.log; ls`)
  await expect(page.getByText(/behind the command was taken off/)).toBeVisible()

  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('with a token')
  await page.keyboard.press('Enter')
  const saved = page.getByRole('button', { name: /^with a token/ })
  await expect(saved).toContainText('not used yet')

  await launch(page)
  await page.getByRole('link', { name: 'Launch' }).click()
  await expect(saved).toContainText(/used (?!yet)/)
  await expect(saved).not.toContainText('not used yet')
  const stored = await page.evaluate(() => JSON.stringify([Object.entries(sessionStorage), Object.entries(localStorage)]))
  expect(stored).not.toContain('plantedSecret')
  expect(await page.locator('body').innerText()).not.toContain('plantedSecret')
  expect(app.problems).toEqual([])
})
