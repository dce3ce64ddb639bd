import { mkdtemp, rm, writeFile, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { GpuSample } from '../../../shared/model/telemetry.ts'
import { createGpuLines } from '../../../shared/telemetry/gpu-lines.ts'
import { decodeThrottleReasons, NVIDIA_SMI_FIELD_SETS, parseGpuLine } from '../../../shared/telemetry/nvidia-smi.ts'
import { startNvidiaSmiSampler } from './nvidia-smi-sampler.ts'

const fields = NVIDIA_SMI_FIELD_SETS[0] as readonly string[]

describe('nvidia-smi lines', () => {
  test('reads values and reasons', () => {
    expect(parseGpuLine('1, GPU-6f0e, 97, 71234, 412.53, 64, 1755, 2619, 0x0000000000000024', fields)).toEqual({
      index: 1,
      uuid: 'GPU-6f0e',
      utilizationPercent: 97,
      memoryUsedMiB: 71_234,
      powerWatts: 412.53,
      temperatureC: 64,
      smClockMhz: 1755,
      memoryClockMhz: 2619,
      throttleReasons: ['sw_power_cap', 'sw_thermal_slowdown'],
    })
  })

  test('a value that the device does not report is absent', () => {
    expect(parseGpuLine('0, GPU-1, 3, [N/A], [N/A], 41, 208, [Not Supported], [N/A]', fields)).toEqual({
      index: 0,
      uuid: 'GPU-1',
      utilizationPercent: 3,
      temperatureC: 41,
      smClockMhz: 208,
    })
  })

  test.each(['', 'No devices were found', 'Field "clocks_event_reasons.active" is not a valid field to query.', '0, 1, 2'])(
    'other lines are none: %s',
    (line) => {
      expect(parseGpuLine(line, fields)).toBeUndefined()
    },
  )

  test('reason masks: idle is none, unknown bits are kept', () => {
    expect(decodeThrottleReasons('0x0000000000000001')).toEqual([])
    expect(decodeThrottleReasons('0x0000000000000440')).toEqual(['hw_thermal_slowdown', '0x400'])
    expect(decodeThrottleReasons('[N/A]')).toBeUndefined()
  })

  test('lines become readings of all GPUs, whatever the chunks', () => {
    const readings: { gpus: GpuSample[]; atMs: number }[] = []
    const lines = createGpuLines(['index', 'power.draw'], (gpus, atMs) => readings.push({ gpus, atMs }))
    lines.push('0, 10', 1)
    lines.push('0\n1, 20\n', 2)
    lines.push('0, 30\n1, 40\n0, 50\n', 3)
    lines.end()
    expect(readings).toEqual([
      {
        gpus: [
          { index: 0, powerWatts: 100 },
          { index: 1, powerWatts: 20 },
        ],
        atMs: 2,
      },
      {
        gpus: [
          { index: 0, powerWatts: 30 },
          { index: 1, powerWatts: 40 },
        ],
        atMs: 3,
      },
      { gpus: [{ index: 0, powerWatts: 50 }], atMs: 3 },
    ])
  })
})

describe('sampler', () => {
  let folder = ''
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'speedgrid-smi-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  async function script(text: string): Promise<string> {
    const path = join(folder, 'nvidia-smi')
    await writeFile(path, `#!/bin/sh\necho "$$ $1" >> '${folder}/starts'\n${text}\n`, { mode: 0o755 })
    return path
  }
  const starts = async (): Promise<string[]> => (await readFile(join(folder, 'starts'), 'utf8')).trim().split('\n')

  function isAlive(pid: number): boolean {
    try {
      process.kill(pid, 0)
      return true
    } catch {
      return false
    }
  }

  test('falls back to the fields that the driver knows, and leaves nothing behind', async () => {
    const command = await script(`case "$1" in *reasons*) echo 'Field "x" is not a valid field to query.'; exit 2;; esac
while :; do echo '0, GPU-a, 50, 1000, 200.5, 60, 1500, 2000'; sleep 0.05; done`)
    const reading = await new Promise<GpuSample[]>((resolve) => {
      const sampler = startNvidiaSmiSampler({ command, onReading: (gpus) => void sampler.dispose().then(() => resolve(gpus)) })
    })
    expect(reading).toMatchObject([{ index: 0, powerWatts: 200.5 }])
    const started = await starts()
    expect(started).toHaveLength(3)
    for (const line of started) expect(isAlive(Number(line.split(' ')[0]))).toBe(false)
  })

  test('starts again when it ended', async () => {
    const command = await script(`echo '0, GPU-a, 50, 1000, 200.5, 60, 1500, 2000, 0x0'`)
    let readings = 0
    await new Promise<void>((resolve) => {
      const sampler = startNvidiaSmiSampler({
        command,
        restartMs: 20,
        onReading: () => {
          readings += 1
          if (readings === 3) void sampler.dispose().then(resolve)
        },
      })
    })
    expect(await starts()).toHaveLength(3)
  })

  test('says so where there is none', async () => {
    const reason = await new Promise<string>((resolve) => {
      const sampler = startNvidiaSmiSampler({
        command: join(folder, 'missing'),
        onReading: () => undefined,
        onUnavailable: (text) => void sampler.dispose().then(() => resolve(text)),
      })
    })
    expect(reason).toContain('could not be started')
  })
})
