import { mkdtempSync, rmSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import type { SpoolEntry } from '../../../shared/model/spool.ts'
import { runTestJob } from './test-run.ts'
import { startTestServer, type TestServer } from './test-server.ts'

void mkdtempSync
void rmSync
let server: TestServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

describe('a sweep over a real connection', () => {
  it('measures every cell', async () => {
    server = await startTestServer()
    const { lines, end } = await runTestJob(server, {
      contexts: [0, 256],
      concurrency: [1, 4],
      seconds: 1,
      settleSeconds: 0.1,
      maxOutputTokens: 100,
      prefillContexts: [256, 512],
    })
    console.log(
      JSON.stringify(
        lines.filter((l: SpoolEntry) => !['sample', 'beat', 'live', 'cell'].includes(l.kind)),
        (k, v) => (k === 'rawEvents' || k === 'requests' || k === 'data' ? undefined : v),
        1,
      ),
    )
    expect(end.state).toBe('finished')
  })
})
