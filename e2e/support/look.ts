import { mkdirSync } from 'node:fs'
import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

const SIZES = [
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
]
const FOLDER = 'test-results/screens'

/** No violation of axe. A report's frame has no scripts, so that axe can't look into it: the exported file is looked at by itself. */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  // What is on its way (a toast, a transition of a tooltip) has another contrast than when it is there.
  await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => undefined))))
  const { violations } = await new AxeBuilder({ page }).exclude('iframe').analyze()
  expect(violations.map(({ id, nodes }) => `${name}: ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)).toEqual(
    [],
  )
}

/** The screen as it is now, in both themes: no violation of axe, and a picture in both sizes to be looked at. */
export async function look(page: Page, name: string): Promise<void> {
  // A tooltip under the pointer stands outside of everything and is no part of the screen.
  await page.mouse.move(0, 0)
  mkdirSync(FOLDER, { recursive: true })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const size of SIZES) {
      await page.setViewportSize(size)
      await page.screenshot({ path: `${FOLDER}/${name} ${colorScheme} ${String(size.width)}.png` })
    }
    await page.setViewportSize(SIZES[0] ?? { width: 1280, height: 800 })
    await expectAccessible(page, `${name}, ${colorScheme}`)
  }
}
