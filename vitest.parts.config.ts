import { defineConfig } from 'vitest/config'
import { withProcesses } from './vitest.config.ts'

export default defineConfig({
  test: {
    include: withProcesses,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    passWithNoTests: false,
  },
})
