import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLocalLink } from '../../../test/local-link.ts'
import { driverInputSchema } from '../../shared/model/job.ts'
import { gpuSampleSchema } from '../../shared/model/telemetry.ts'
import { createBesideFeed, groupSamples } from './beside-feed.ts'
import { parseGpuLine } from './gpu-samples.ts'

test('reads what nvidia-smi prints; what a device does not report is absent', () => {
  expect(parseGpuLine('0, GPU-aa, 97, 70123, 512.33, 61, 1755, 2619, 0x0000000000000024')).toEqual({
    index: 0,
    uuid: 'GPU-aa',
    utilizationPercent: 97,
    memoryUsedMiB: 70_123,
    powerWatts: 512.33,
    temperatureC: 61,
    smClockMhz: 1755,
    memoryClockMhz: 2619,
    throttleReasons: ['sw_power_cap', 'sw_thermal_slowdown'],
  })
  const unified = parseGpuLine('0, GPU-bb, 3, [N/A], 11.2, 40, 208, [N/A], 0x0000000000000001')
  expect(unified).toMatchObject({ index: 0, throttleReasons: [] })
  expect(unified?.memoryUsedMiB).toBeUndefined()
  expect(parseGpuLine('Field "nonsense" is not a valid field to query.')).toBeUndefined()
  expect(parseGpuLine('')).toBeUndefined()
})

test('lines of one moment belong together, however the chunks fall', async () => {
  const moments: number[][] = []
  const take = groupSamples((gpus) => moments.push(gpus.map((gpu) => gpu.index)))
  const line = (index: number) => `${String(index)}, GPU, 1, 2, 3, 4, 5, 6, 0x0\n`
  const text = line(0) + line(1) + line(0) + line(1)
  take(Buffer.from(text.slice(0, 30)))
  take(Buffer.from(text.slice(30)))
  await expect
    .poll(() => moments)
    .toEqual([
      [0, 1],
      [0, 1],
    ])
})

test('feeds the driver with samples and with our own loop delay; an old driver without the new field name works too', async () => {
  const link = await createLocalLink({ env: { PATH: 'bin:/usr/bin:/bin' } })
  mkdirSync(join(link.homeDir, 'bin'))
  const tool = join(link.homeDir, 'bin/nvidia-smi')
  const script = `#!/bin/sh
case "$*" in *clocks_event_reasons*) echo 'Field "clocks_event_reasons.active" is not a valid field to query.'; exit 2;; esac
echo '0, GPU-aa, 97, 70123, 512.33, 61, 1755, 2619, 0x4'
case "$*" in *loop*) sleep 0.2; echo '0, GPU-aa, 98, 70123, 500.00, 61, 1755, 2619, 0x0'; exec sleep 60;; esac
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
