import { describe, expect, it } from 'vitest'
import { findMachine } from '../../machines/index.ts'
import type { GpuUse } from '../gpu-state.ts'
import { helpQueryGpu, listGpus, queryGpus, queryProcesses, readFormat, SmiError } from './report.ts'

const four = (() => {
  const machine = findMachine('4x-rtx-pro-6000')
  if (!machine) throw new Error('no such machine')
  return machine
})()
const plain = readFormat('csv,noheader,nounits')
const use = (changes: Partial<GpuUse> = {}): GpuUse => ({
  enginePid: 77,
  gpuIndexes: [0, 1, 2, 3],
  memoryMiB: 80_000,
  busy: 1,
  atMs: 0,
  ...changes,
})
const numbers = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(', ').map(Number))

describe('nvidia-smi', () => {
  it('answers the inventory query, one line a GPU', () => {
    const names =
      'index,uuid,name,driver_version,pci.bus_id,memory.total,compute_cap,power.limit,power.max_limit,clocks.max.sm,clocks.max.memory,pcie.link.gen.max,pcie.link.width.max,mig.mode.current,ecc.mode.current,persistence_mode,vbios_version'
    const lines = queryGpus(four, [], names.split(','), plain).trimEnd().split('\n')
    expect(lines).toHaveLength(4)
    expect(lines[2]?.split(', ')).toHaveLength(names.split(',').length)
    expect(lines[2]).toMatch(/^2, GPU-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}, NVIDIA RTX PRO 6000 /)
    expect(new Set(lines.map((line) => line.split(', ')[1])).size).toBe(4)
  })

  it('follows the server: idle, loaded, busy', () => {
    const fields = ['memory.used', 'power.draw', 'utilization.gpu', 'clocks.sm', 'temperature.gpu']
    const now = new Date(1_700_000_000_000)
    const [idle] = numbers(queryGpus(four, [], fields, plain, now))
    const [loaded] = numbers(queryGpus(four, [use({ busy: 0 })], fields, plain, now))
    const [busy] = numbers(queryGpus(four, [use()], fields, plain, now))
    expect(idle?.[0]).toBeLessThan(100)
    expect(loaded?.[0]).toBeGreaterThan(79_000)
    expect(Math.abs((loaded?.[1] ?? 0) - (idle?.[1] ?? 0))).toBeLessThan(5)
    for (const index of [1, 2, 3, 4]) expect(busy?.[index]).toBeGreaterThan(loaded?.[index] ?? Infinity)
  })

  it('uses only the GPUs of the server', () => {
    const memory = numbers(queryGpus(four, [use({ gpuIndexes: [1] })], ['memory.used'], plain)).flat()
    expect(memory.map((value) => value > 1000)).toEqual([false, true, false, false])
  })

  it('fails the whole query for one unknown field', () => {
    expect(() => queryGpus(four, [], ['index', 'no.such.field'], plain)).toThrow(
      'Field "no.such.field" is not a valid field to query.',
    )
    expect(() => queryGpus(four, [], ['x'], plain)).toThrow(SmiError)
    expect(() => readFormat('xml')).toThrow(SmiError)
  })

  it('takes the older name of the throttle reasons, header and units where wanted', () => {
    const text = queryGpus(four, [use()], ['index', 'clocks_throttle_reasons.active', 'power.limit'], readFormat('csv'))
    expect(text.split('\n').slice(0, 2)).toEqual([
      'index, clocks_event_reasons.active, power.limit [W]',
      '0, 0x0000000000000000, 600.00 W',
    ])
  })

  it('lists processes, GPUs and its fields', () => {
    expect(queryProcesses(four, [use()], ['pid', 'used_gpu_memory'], plain)).toBe('77, 80000\n'.repeat(4))
    expect(queryProcesses(four, [], ['pid'], plain)).toBe('')
    expect(listGpus(four).trimEnd().split('\n')).toHaveLength(4)
    expect(helpQueryGpu()).toContain('"clocks_event_reasons.active"')
  })
})
