import { defineConfig } from 'vitest/config'

/** Parts that start processes of their own: a real sshd, the demo lab machine, a driver, a fake vLLM. The rest is the unit suite. */
export const withProcesses = [
  'src/main/ssh/{auth,connect,link,tunnel,tunnel-socket,file-errors,questions}.test.ts',
  'src/main/servers/{launch,stop,over-ssh}.test.ts',
  'src/main/demo-host/lifecycle.test.ts',
  'src/main/demo-host/ssh/*.test.ts',
  'src/main/demo-host/stand-in/http/server.test.ts',
  'src/main/sweep/{create-sweeps,resume-run,beside-feed,undisturbed,settle-orphans,strays}.test.ts',
  'src/main/driver/{main,hostile-server}.test.ts',
  'src/main/driver/run/sweep-real.test.ts',
  'src/main/engine/create-engine.test.ts',
  'test/*-over-ssh.test.ts',
]

export default defineConfig({
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'test/*.test.ts'],
    exclude: withProcesses,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    passWithNoTests: false,
  },
})
