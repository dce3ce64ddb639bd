import { defineConfig } from 'vitest/config'

/** The unit suite: parts by themselves, a real sshd on loopback where there is one. */
export default defineConfig({
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'test/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    passWithNoTests: false,
  },
})
