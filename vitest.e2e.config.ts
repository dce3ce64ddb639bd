import { defineConfig } from 'vitest/config'

/** The whole program as its users start it: the built command line, the demo lab machine, a real sshd. One file at a time. */
export default defineConfig({
  test: {
    include: ['test/program/**/*.test.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    fileParallelism: false,
    // What a busy machine throws off is tried once more in CI; `npm test` lists it by name, with what it said.
    retry: process.env.CI ? 1 : 0,
    passWithNoTests: false,
  },
})
