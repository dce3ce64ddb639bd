import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createLab, hostRequest, type Lab } from '../../../test/sweep-lab.ts'

const HOUR_MS = 3_600_000
let lab: Lab | undefined
const folders: string[] = []
afterEach(async () => {
  await lab?.dispose()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** The environment of a host whose clock is off: `date` says so, and so does the driver that runs there. */
function environmentOff(ms: number): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'speedgrid-clock-'))
  folders.push(folder)
  const shift = join(folder, 'shift.cjs')
  writeFileSync(
    shift,
    `const Real = Date; globalThis.Date = class extends Real { constructor(...a) { a.length === 0 ? super(Real.now() + ${String(ms)}) : super(...a) } static now() { return Real.now() + ${String(ms)} } }`,
  )
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'date'), `#!/bin/sh\nexec /bin/date -d "@$(( $(/bin/date +%s) + ${String(ms / 1000)} ))" "$@"\n`)
  chmodSync(join(bin, 'date'), 0o755)
  return { PATH: `${bin}:${process.env['PATH'] ?? '/usr/bin:/bin'}`, NODE_OPTIONS: `--require ${shift}` }
}

test.each([
  ['an hour ahead', HOUR_MS, /The clock of lab is (1 h|59 min) .*ahead of ours/],
  ['a day behind', -24 * HOUR_MS, /The clock of lab is .*behind ours/],
] as const)(
  'a host whose clock is %s: said once, every time shown is ours, and durations stay what they are',
  async (_name, ms, says) => {
    lab = await createLab({ env: environmentOff(ms) })
    const startedMs = Date.now()
    const handle = await lab.sweeps.start(hostRequest({ settleSeconds: 0.3 }))
    expect(await handle.finished).toMatchObject({ state: 'finished' })
    const endedMs = Date.now()
    const document = lab.store.runs.document(handle.runId)
    const slackMs = 3000
    const isOurs = (text: string | undefined) => {
      const at = Date.parse(text ?? '')
      return at >= startedMs - slackMs && at <= endedMs + slackMs
    }
    expect(isOurs(document.startedAt)).toBe(true)
    expect(isOurs(document.finishedAt)).toBe(true)
    expect(document.events.filter(({ at }) => !isOurs(at))).toEqual([])
    for (const attempt of lab.store.runs.attempts(handle.runId)) {
      expect([isOurs(attempt.startedAt), isOurs(attempt.finishedAt)]).toEqual([true, true])
      expect(Date.parse(attempt.finishedAt)).toBeGreaterThanOrEqual(Date.parse(attempt.startedAt))
    }
    const row = lab.store.runs.find(handle.runId)
    const tookMs = Date.parse(row.finishedAt ?? '') - Date.parse(row.startedAt ?? '')
    expect(tookMs).toBeGreaterThan(4 * 300)
    expect(tookMs).toBeLessThanOrEqual(endedMs - startedMs + 1000)
    expect(document.events.filter(({ text, level }) => level === 'warn' && says.test(text))).toHaveLength(1)
  },
)

test('a clock that is right is not spoken of, and no time is moved', async () => {
  lab = await createLab({ env: environmentOff(2000) })
  const handle = await lab.sweeps.start(hostRequest())
  await handle.finished
  expect(lab.store.runs.document(handle.runId).events.filter(({ text }) => text.includes('clock'))).toEqual([])
})
