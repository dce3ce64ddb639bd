import { defineConfig } from 'vitest/config'
import { withProcesses } from './vitest.config.ts'

export default defineConfig({
  test: {
    include: withProcesses,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What a busy machine throws off is tried once more in CI; `npm test` lists it by name, with what it said.
    retry: process.env.CI ? 1 : 0,
    passWithNoTests: false,
  },
})
