import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLocalLink } from '../../../test/local-link.ts'
import { driverInputSchema } from '../../shared/model/job.ts'
import { gpuSampleSchema } from '../../shared/model/telemetry.ts'
import type { TunnelState } from '../ssh/types.ts'
import { createBesideFeed } from './beside-feed.ts'

test('feeds the driver with samples and with our own loop delay; an old driver without the new field name works too', async () => {
  const link = await createLocalLink({ env: { PATH: 'bin:/usr/bin:/bin' } })
  mkdirSync(join(link.homeDir, 'bin'))
  const tool = join(link.homeDir, 'bin/nvidia-smi')
  const script = `#!/bin/sh
case "$*" in *clocks_event_reasons*) echo 'Field "clocks_event_reasons.active" is not a valid field to query.'; exit 2;; esac
echo '0, GPU-aa, 97, 70123, 512.33, 61, 1755, 2619, 0x4'
case "$*" in *-lms*) sleep 0.2; echo '0, GPU-aa, 98, 70123, 500.00, 61, 1755, 2619, 0x0'; exec sleep 60;; esac
`
  writeFileSync(tool, script)
  chmodSync(tool, 0o755)
  const sent: object[] = []
  const feed = createBesideFeed({ connect: () => Promise.resolve(link), gpus: true, tunnel: tunnel() })((line) =>
    sent.push(driverInputSchema.parse(line)),
  )
  try {
    const kinds = () => sent.map((line) => ('kind' in line ? line.kind : ''))
    await expect.poll(() => kinds().filter((kind) => kind === 'gpu').length, { timeout: 10_000 }).toBe(2)
    await expect.poll(kinds, { timeout: 10_000 }).toContain('tunnel')
    const first = sent.find((line) => 'gpus' in line)
    const gpus =
      first !== undefined && 'gpus' in first && Array.isArray(first.gpus)
        ? first.gpus.map((gpu) => gpuSampleSchema.parse(gpu))
        : []
    expect(gpus).toMatchObject([{ powerWatts: 512.33, throttleReasons: ['sw_power_cap'] }])
  } finally {
    feed.dispose()
    await link.dispose()
  }
})

/** A tunnel of which only what it says is real. */
function tunnel(state: TunnelState = { state: 'up' }) {
  const listeners = new Set<(state: TunnelState) => void>()
  const full = new Set<(reason: string) => void>()
  return {
    state,
    onStateChange: (listener: (state: TunnelState) => void) => (listeners.add(listener), () => void listeners.delete(listener)),
    onFull: (listener: (reason: string) => void) => (full.add(listener), () => void full.delete(listener)),
    say: (next: TunnelState) => listeners.forEach((listener) => listener(next)),
    sayFull: (reason: string) => full.forEach((listener) => listener(reason)),
  }
}

test('tells how the tunnel stands, from the beginning on, and that it is full', async () => {
  const link = await createLocalLink()
  const made = tunnel({ state: 'down', reason: 'no answer' })
  const sent: object[] = []
  const feed = createBesideFeed({ connect: () => Promise.resolve(link), gpus: false, tunnel: made })((line) =>
    sent.push(driverInputSchema.parse(line)),
  )
  made.say({ state: 'up' })
  made.say({ state: 'lost', reason: 'the key was refused' })
  made.sayFull('no room')
  feed.dispose()
  made.say({ state: 'up' })
  await link.dispose()
  expect(sent.filter((line) => 'kind' in line && line.kind !== 'tunnel')).toEqual([
    { kind: 'link', state: 'down', reason: 'no answer' },
    { kind: 'link', state: 'up' },
    { kind: 'link', state: 'lost', reason: 'the key was refused' },
    { kind: 'limit', reason: 'no room' },
  ])
})
