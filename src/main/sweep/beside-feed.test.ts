import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLocalLink } from '../../../test/local-link.ts'
import { driverInputSchema } from '../../shared/model/job.ts'
import { gpuSampleSchema } from '../../shared/model/telemetry.ts'
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
  const feed = createBesideFeed({ connect: () => Promise.resolve(link), gpus: true })((line) =>
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
