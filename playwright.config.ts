import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'

const chromium = process.env.SPEEDGRID_CHROMIUM ?? '/usr/bin/chromium'

/** The built program in a browser page and in Electron: one set of specs. What only the window has is in e2e/window. */
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  timeout: 180_000,
  expect: { timeout: 30_000 },
  workers: 2,
  // A machine that stands still for seconds is not a fault of ours; what needed a second try is listed by name at the end.
  retries: process.env.CI ? 1 : 0,
  fullyParallel: true,
  reporter: [['list']],
  use: {
    actionTimeout: 30_000,
    viewport: { width: 1280, height: 800 },
    // A trace puts scripts of its own into every frame, which the report's sandbox refuses aloud.
    trace: process.env.SPEEDGRID_TRACE ? 'retain-on-failure' : 'off',
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(existsSync(chromium) ? { executablePath: chromium } : {}),
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    },
  },
  projects: [
    { name: 'page', testMatch: '*.spec.ts', testIgnore: 'window/**' },
    { name: 'window', testMatch: ['window/*.spec.ts', 'whole-path.spec.ts'] },
  ],
})
