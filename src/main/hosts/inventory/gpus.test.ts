import { describe, expect, test } from 'vitest'
import { parseAmdSmi } from './amd-smi.ts'
import { parseNvidiaSmi } from './nvidia-smi.ts'
import { NVIDIA_FIELD_SETS } from './script-gpus.ts'

const FULL = NVIDIA_FIELD_SETS[0]

describe('nvidia-smi', () => {
  test('an H200', () => {
    const line = '0, GPU-6f3a1b2c-1111-2222-3333-444455556666, NVIDIA H200 NVL, 143771, 580.95.05, 600.00, 9.0, Disabled'
    expect(parseNvidiaSmi(FULL, [line])).toEqual([
      {
        index: 0,
        uuid: 'GPU-6f3a1b2c-1111-2222-3333-444455556666',
        name: 'NVIDIA H200 NVL',
        memoryMiB: 143_771,
        driverVersion: '580.95.05',
        powerLimitWatts: 600,
        computeCapability: '9.0',
      },
    ])
  })

  test('four RTX PRO 6000', () => {
    const lines = [0, 1, 2, 3].map(
      (index) =>
        `${String(index)}, GPU-${String(index)}, NVIDIA RTX PRO 6000 Blackwell Server Edition, 97887, 575.57.08, 600.00, 12.0, [N/A]`,
    )
    const gpus = parseNvidiaSmi(FULL, lines)
    expect(gpus.map((gpu) => gpu.index)).toEqual([0, 1, 2, 3])
    expect(gpus.every((gpu) => gpu.memoryMiB === 97_887 && gpu.migDevices === undefined)).toBe(true)
  })

  test('unified memory has no size, a value that is not there is absent', () => {
    const [gpu] = parseNvidiaSmi(FULL, ['0, GPU-1, NVIDIA GB10, [N/A], 580.82.09, [N/A], 12.1, [N/A]'])
    expect(gpu).toEqual({ index: 0, uuid: 'GPU-1', name: 'NVIDIA GB10', driverVersion: '580.82.09', computeCapability: '12.1' })
    const [old] = parseNvidiaSmi(FULL, ['0, GPU-1, Tesla K80, 11441, 470.82, [Not Supported], 3.7, [Unknown Error]'])
    expect(old).not.toHaveProperty('powerLimitWatts')
  })

  test('MIG devices are named', () => {
    const list = [
      'GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-a)',
      '  MIG 3g.20gb     Device  0: (UUID: MIG-1)',
      '  MIG 1g.5gb      Device  1: (UUID: MIG-2)',
      'GPU 1: NVIDIA A100-SXM4-40GB (UUID: GPU-b)',
    ]
    const lines = [
      '0, GPU-a, NVIDIA A100-SXM4-40GB, 40960, 535.1, 400.00, 8.0, Enabled',
      '1, GPU-b, NVIDIA A100-SXM4-40GB, 40960, 535.1, 400.00, 8.0, Disabled',
    ]
    const gpus = parseNvidiaSmi(FULL, lines, list)
    expect(gpus[0]?.migDevices).toEqual(['3g.20gb', '1g.5gb'])
    expect(gpus[1]).not.toHaveProperty('migDevices')
  })

  test('what is not a GPU line is left out', () => {
    expect(
      parseNvidiaSmi(FULL, [
        'Warning: persistence mode is disabled',
        '',
        'NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver.',
      ]),
    ).toEqual([])
    expect(parseNvidiaSmi(['index', 'name'], ['0, NVIDIA L4'])).toEqual([{ index: 0, name: 'NVIDIA L4' }])
  })
})

describe('amd-smi', () => {
  const list = JSON.stringify([
    { gpu: 0, bdf: '0000:05:00.0', uuid: 'aaff-1' },
    { gpu: 1, uuid: 'aaff-2' },
  ])

  test('a list with units', () => {
    const details = JSON.stringify([
      {
        gpu: 0,
        asic: { market_name: 'AMD Instinct MI300X', target_graphics_version: 'gfx942' },
        vram: { size: { value: 196_592, unit: 'MB' } },
        limit: { max_power: { value: 750, unit: 'W' } },
        driver: { version: '6.8.5' },
      },
      { gpu: 1, asic: { market_name: 'N/A' }, vram: { size: 'N/A' } },
    ])
    expect(parseAmdSmi(`WARNING: not in group render\n${list}`, details)).toEqual([
      {
        index: 0,
        uuid: 'aaff-1',
        name: 'AMD Instinct MI300X',
        memoryMiB: 196_592,
        powerLimitWatts: 750,
        driverVersion: '6.8.5',
        computeCapability: 'gfx942',
      },
      { index: 1, uuid: 'aaff-2', name: 'AMD GPU' },
    ])
  })

  test('newer releases wrap the list; broken text is no GPU', () => {
    expect(
      parseAmdSmi(
        list,
        JSON.stringify({ gpu_data: [{ gpu: 0, asic: { market_name: 'AMD Radeon' }, vram: { size: 24_560 } }] }),
      )[0],
    ).toMatchObject({ name: 'AMD Radeon', memoryMiB: 24_560 })
    expect(parseAmdSmi('amd-smi: command failed', '')).toEqual([])
    expect(parseAmdSmi('[{', '[]')).toEqual([])
  })
})
