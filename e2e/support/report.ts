import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, type Browser, type Page } from '@playwright/test'
import type { App } from './front-door.ts'

/** Presses the button of a format and keeps what comes, from a download or the save dialog; ends with the folder being removed. */
export async function withExport(app: App, format: string, use: (path: string) => Promise<void>): Promise<void> {
  const { page } = app
  const folder = mkdtempSync(join(tmpdir(), 'speedgrid-export-'))
  const button = page.getByRole('button', { name: `Export ${format}` })
  try {
    if (app.kind === 'window') {
      const path = join(folder, `report.${format.toLowerCase()}`)
      await app.answerSave(path)
      await button.click()
      await expect(page.getByText(`Saved to ${path}`)).toBeVisible()
      await use(path)
      return
    }
    const arriving = page.waitForEvent('download')
    await button.click()
    const download = await arriving
    const path = join(folder, download.suggestedFilename())
    await download.saveAs(path)
    await use(path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Opens an exported file as a colleague does: another browser profile, no network, no scripts of ours. */
export async function openAlone(browser: Browser, path: string, look: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ offline: true, viewport: { width: 1280, height: 800 } })
  try {
    const page = await context.newPage()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.goto(pathToFileURL(path).href)
    await look(page)
    expect(asked.filter((url) => !url.startsWith('file:') && !url.startsWith('data:'))).toEqual([])
  } finally {
    await context.close()
  }
}

/** The rows of "All measurements", by the names of their columns. */
export function measurements(page: Page): Promise<Record<string, string>[]> {
  return page.evaluate(() => {
    const table = [...document.querySelectorAll('table')].find(
      (one) => one.textContent?.includes('Requests at once') && one.textContent.includes('Phase'),
    )
    const names = [...(table?.querySelectorAll('thead th') ?? [])].map((cell) => cell.textContent?.trim() ?? '')
    return [...(table?.querySelectorAll('tbody tr') ?? [])].map((row) =>
      Object.fromEntries([...row.children].map((cell, index) => [names[index] ?? '', cell.textContent?.trim() ?? ''])),
    )
  })
}
