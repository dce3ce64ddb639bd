import { defineConfig } from 'vitest/config'

/** A real vLLM (SPEEDGRID_VLLM) behind a real sshd: the judge of everything that touches a server. One file at a time. */
export default defineConfig({
  test: {
    include: ['test/vllm/**/*.test.ts'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    fileParallelism: false,
    passWithNoTests: false,
  },
})
