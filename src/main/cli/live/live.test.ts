import { describe, expect, it } from 'vitest'
import { planSchema } from '../../../shared/model/plan.ts'
import type { SpoolEntry } from '../../../shared/model/spool.ts'
import { applyLine, type RunParts, seedModel } from '../../../shared/run/index.ts'
import { attemptEntry, factsEntry, helloEntry, numbered, plannedEntry, prefillEntry, START_MS } from '../testing/spool-entries.ts'
import { slice } from './grid.ts'
import type { Picture } from './picture.ts'
import { render } from './render.ts'
import { createStyle } from './style.ts'
import { cut, widthOf } from './text.ts'

const K = 1024

const STATES: SpoolEntry[] = [
  { kind: 'state', state: 'preparing' },
  { kind: 'state', state: 'running' },
]

function pictureOf(contexts: number[], levels: number[], entries: SpoolEntry[], name = 'nightly'): Picture {
  const gpus = [{ index: 0, name: 'NVIDIA H200', memoryMiB: 143_771 }]
  const plan = planSchema.parse({ contexts, concurrency: levels, seconds: 30 })
  const run: RunParts = {
    id: 'abcd1234',
    name,
    tags: [],
    state: 'planned',
    demo: false,
    host: { name: 'lab1' },
    plan,
    place: 'host',
    planned: [],
    outcomes: [],
    prefills: [],
    prompts: [],
    events: [],
    epochs: [],
  }
  let model = seedModel(run, { samples: [], lines: [] }, { link: 'reading' })
  for (const line of numbered([helloEntry('abcd1234'), factsEntry(), ...STATES, ...entries])) model = applyLine(model, line).model
  return { view: model.view, notes: [], gpus, saidAtMs: START_MS + 14_000 }
}

const view = (columns: number, rows: number, color = false) => ({
  columns,
  rows,
  nowMs: START_MS + 90_000,
  style: createStyle(color),
  keys: 'p pause   s skip cell   q stop   d detach   Ctrl-C interrupt',
})

const everyStatus: SpoolEntry[] = [
  plannedEntry([8 * K, 32 * K], [1, 2, 4, 8], [[32 * K, 8]]),
  prefillEntry(8 * K, 110),
  attemptEntry(8 * K, 1, { totalTokensPerSecond: 455.3, ttftMs: 63 }),
  attemptEntry(8 * K, 2, { totalTokensPerSecond: 1742.5, ttftMs: 1173 }, { flags: [{ flag: 'drifting', detail: 'd' }] }),
  attemptEntry(8 * K, 4, {}, { status: 'looped', reason: 'repeats itself' }),
  attemptEntry(8 * K, 8, {}, { status: 'error', reason: 'HTTP 500' }),
  { kind: 'settled', contextTokens: 32 * K, concurrency: 1, repeat: 1, status: 'skipped', reason: 'by the person' },
  { kind: 'cell', contextTokens: 32 * K, concurrency: 2, repeat: 1, attempt: 1, phase: 'window' },
  {
    kind: 'live',
    contextTokens: 32 * K,
    concurrency: 2,
    phase: 'window',
    tokensPerSecond: 781.3,
    activeStreams: 2,
    windowSeconds: 15,
    outputTokens: 9000,
  },
  {
    kind: 'sample',
    gpus: [{ index: 0, powerWatts: 612.4, temperatureC: 61, utilizationPercent: 98, memoryUsedMiB: 127_000 }],
    metrics: { kvUsage: 0.43, running: 2, waiting: 0 },
  },
  { kind: 'event', level: 'warn', text: 'other load on the server' },
  { kind: 'beat', doneCells: 5, totalCells: 8, remainingSeconds: 100 },
]

describe('render', () => {
  it('shows every status without colour, the running cell, GPUs, events and keys', () => {
    const lines = render(pictureOf([8 * K, 32 * K], [1, 2, 4, 8], everyStatus), view(80, 30))
    expect(lines.map((line) => line.replace(/^\d\d:\d\d:\d\d/, 'HH:MM:SS'))).toEqual([
      'nightly · Qwen/Qwen3.5-2B · on lab1 · driver on the host',
      'running · 6 of 8 cells · 1:30 elapsed · about 0:24 left',
      '',
      '               requests at once',
      '  ctx  prefill        1        2        4        8',
      '   8K    74.5K    455.3 1,742.5* ↻ looped  ✗ error',
      '        110 ms    63 ms 1,173 ms',
      '  32K        ·   » skip   ▶781.3        ·   ⊘ over',
      '                        ▮▮▮▮▯▯▯▯          capacity',
      '',
      '32K × 2: window 15.0 of 30 s · 781.3 tok/s · 2 of 2 streams decode',
      'GPU 0 612 W · 61 °C · 98 % · 124/140 GiB',
      'KV cache 43 % · 2 running · 0 waiting',
      'HH:MM:SS  other load on the server',
      '',
      'p pause   s skip cell   q stop   d detach   Ctrl-C interrupt',
    ])
  })

  it.each([
    [200, 50],
    [100, 24],
    [60, 20],
    [40, 10],
  ])('never wraps or scrolls at %i × %i, with colour too', (columns, rows) => {
    const levels = Array.from({ length: 16 }, (_, i) => i + 1)
    const contexts = [0, 8, 16, 32, 64, 128, 251].map((k) => k * K)
    const running: SpoolEntry = { kind: 'cell', contextTokens: 64 * K, concurrency: 12, repeat: 1, attempt: 1, phase: 'fill' }
    const entries = [plannedEntry(contexts, levels), ...everyStatus.slice(1), running]
    const state = pictureOf(
      contexts,
      levels,
      entries,
      'a very long name that somebody gave to this run of theirs, again and again',
    )
    const lines = render(state, view(columns, rows, true))
    expect(lines.length).toBeLessThan(rows)
    for (const line of lines) expect(widthOf(line)).toBeLessThan(columns)
  })

  it('scrolls 16 levels around the running cell and says what is beside it', () => {
    const levels = Array.from({ length: 16 }, (_, i) => 2 ** i).slice(0, 12)
    const running: SpoolEntry = { kind: 'cell', contextTokens: 8 * K, concurrency: 512, repeat: 1, attempt: 1, phase: 'fill' }
    const lines = render(pictureOf([8 * K], levels, [plannedEntry([8 * K], levels), running]), view(60, 24))
    expect(lines).toContain('      ‹ 6 more  requests at once')
    expect(lines).toContain('  ctx       64      128      256      512     1024     2048')
    expect(lines.some((line) => line.includes('▶'))).toBe(true)
    expect(render(pictureOf([8 * K], levels, [plannedEntry([8 * K], levels)]), view(60, 24)).join('\n')).toContain(
      'requests at once  6 more ›',
    )
  })

  it('cuts a long name with … and keeps host and state at 60 columns', () => {
    const state = pictureOf([0], [1], [plannedEntry([0], [1])], 'release-candidate-with-a-name-that-does-not-end')
    const [title = '', status = ''] = render(state, view(60, 20))
    expect(title).toMatch(/^release-candidate-with… · /)
    expect(status).toMatch(/^running · 0 of 1 cells/)
  })

  it('puts one line a context where the terminal is low', () => {
    const contexts = [8, 16, 32, 64, 128].map((k) => k * K)
    const lines = render(pictureOf(contexts, [1], [plannedEntry(contexts, [1]), attemptEntry(8 * K, 1)]), view(80, 12))
    expect(lines.length).toBeLessThan(12)
    expect(lines.filter((line) => /^ +\d+K /.test(line))).toHaveLength(5)
  })

  it('shows a lost link and a question in place of the keys', () => {
    const state = pictureOf([0], [1], [plannedEntry([0], [1])])
    Object.assign(state.view, { link: 'link_down', linkReason: 'timeout' })
    const lines = render(state, { ...view(100, 20), notice: 'Stop this run?' })
    expect(lines[1]).toContain('the link to the host is down, the sweep runs on (timeout)')
    expect(lines.at(-1)).toBe('Stop this run?')
  })

  it('lets nothing of a server steer the terminal', () => {
    const state = pictureOf(
      [0],
      [1],
      [plannedEntry([0], [1]), { kind: 'event', level: 'info', text: 'evil \u001b[2Jtext\u0007' }],
    )
    expect(render(state, view(80, 24)).join('\n')).not.toContain('\u001b')
  })

  it('sums up many GPUs where there is no room', () => {
    const gpus = Array.from({ length: 8 }, (_, index) => ({ index, powerWatts: 500, temperatureC: 60 + index }))
    const state = pictureOf([0], [1], [plannedEntry([0], [1]), { kind: 'sample', gpus, metrics: { running: 3 } }])
    expect(render(state, view(60, 14))).toContain('8 GPUs · 4000 W · up to 67 °C · 3 running')
  })
})

describe('text', () => {
  it('counts wide characters and cuts at columns', () => {
    expect(widthOf('模型')).toBe(4)
    expect(cut('模型名称', 5)).toBe('模型…')
    expect(cut('short', 10)).toBe('short')
    expect(cut('exactly', 7)).toBe('exactly')
  })

  it('keeps the focus inside a slice', () => {
    expect(slice(16, 6, -1)).toEqual({ from: 0, to: 6 })
    expect(slice(16, 6, 15)).toEqual({ from: 10, to: 16 })
    expect(slice(16, 6, 8)).toEqual({ from: 5, to: 11 })
    expect(slice(4, 6, 1)).toEqual({ from: 0, to: 4 })
  })
})
