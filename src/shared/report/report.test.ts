import { describe, expect, test } from 'vitest'
import { type RunDocument, runDocumentSchema } from '../model/run.ts'
import { fullRun, publishedRun } from '../../../test/published-runs.ts'
import {
  DEMO_LABEL,
  FLAG_MEANINGS,
  REPORT_FORMATS,
  buildReport,
  hardwareTexts,
  nominalMemoryGb,
  renderReport,
  reportFileName,
} from './index.ts'

const HOSTILE = `"'><script>alert(1)</script><img src=x onerror=y>|\`\n=1+1`

/** Fields of one CSV line, quotes still on. */
const fields = (line: string) => line.match(/(?<=^|,)("(?:[^"]|"")*"|[^,]*)(?=,|$)/g) ?? []

describe('a run with everything', () => {
  const run = fullRun()
  const html = renderReport(run, 'html')
  const markdown = renderReport(run, 'md')

  test('is labelled a demo in every format', () => {
    for (const text of [html, markdown, renderReport(run, 'csv')]) expect(text).toContain(DEMO_LABEL)
    expect(JSON.parse(renderReport(run, 'json'))).toMatchObject({ demo: true })
    for (const row of renderReport(run, 'csv').trim().split('\r\n').slice(1)) expect(row).toContain(DEMO_LABEL)
    const real = { ...run, demo: false }
    for (const format of REPORT_FORMATS) expect(renderReport(real, format)).not.toContain(DEMO_LABEL)
    const demoByServer = { ...real, engine: { ...publishedRun('qwen3.5-2b--h200-nvl').engine, demo: true } }
    expect(renderReport(runDocumentSchema.parse(demoByServer), 'html')).toContain(DEMO_LABEL)
  })

  test('explains every status and doubt that occurs, and none that does not', () => {
    const report = buildReport(run)
    expect(report.statusNotes.map((note) => note.label)).toEqual([
      'Looped',
      'Over capacity',
      'Error',
      'Skipped',
      'Cancelled',
      'Pending',
    ])
    expect(report.doubts?.rows.map((row) => row[0])).toEqual(['Cold unverified', 'Few samples', 'Drifting', 'Throttled'])
    expect(markdown).toContain(FLAG_MEANINGS.drifting)
    expect(markdown).not.toContain(FLAG_MEANINGS.stalled)
    const reasons = report.reasons?.rows.map((row) => row.slice(1).join(' / ')) ?? []
    expect(reasons).toContain('256K / 1 / Error / HTTP 500')
    expect(reasons).toContain('128K / 64 / Over capacity / needs 8,650,752 tokens of KV cache, the server has 1,500,000')
    expect(reasons).toContain('8K / 64 / Error / the server died: EngineDeadError')
    expect(report.logs[0]?.lines).toEqual(['ERROR ', 'CUDA out of memory, token <redacted>'])
  })

  test('shows what we add below the published tables', () => {
    const report = buildReport(run)
    expect(report.tables.map((table) => table.title)).toEqual([
      'Confidence',
      'Percentiles',
      'TTFT in detail',
      'Real prompt lengths',
      'Prefill in detail',
      'Server side',
      'Power, clocks and temperature',
      'The measuring program',
      'Thrown away',
    ])
    for (const text of [
      '0.42 %',
      '60 · 71 · 90',
      '0.236 J',
      '412 W',
      'power cap',
      '+0.01 %',
      'exact',
      'round trip 0.12 ms',
      'seed 1',
    ]) {
      expect(html).toContain(text)
      expect(markdown).toContain(text)
    }
    expect(html.indexOf('All measurements')).toBeLessThan(html.indexOf('Behind the figures'))
    expect(report.stateLabel).toBe(
      'This run is stopped: stopped by the person (3 of 9 cells valid, 1 cancelled, 1 looped, 1 error, 1 skipped, 1 not measured, 1 over capacity)',
    )
  })

  test('marks the figure that few requests are behind, beside its text', () => {
    expect(html).toMatch(/<td class="n few">61 ms<\/td>/)
    expect(html).toContain('° fewer than three requests')
  })

  test('has no secret and no home folder', () => {
    for (const format of ['html', 'md', 'csv'] as const) {
      expect(renderReport(run, format)).not.toMatch(/sk-leak|hf_leak|\/home\/ann/)
    }
    expect(markdown).toContain('HF_TOKEN=<redacted> vllm serve Qwen/Qwen3.5-2B-Base --api-key <redacted>')
  })

  test('csv is one rectangular row a measurement', () => {
    const lines = renderReport(run, 'csv').trim().split('\r\n')
    expect(lines).toHaveLength(1 + 2 + 9)
    const header = lines[0]?.split(',') ?? []
    for (const line of lines) expect(fields(line).length).toBe(header.length)
    const row = Object.fromEntries(fields(lines[3] ?? '').map((value, index) => [header[index], value]))
    expect(row).toMatchObject({
      runId: 'run-full',
      model: 'Qwen3.5-2B-Base',
      phase: 'decode',
      contextTokens: '0',
      concurrency: '1',
      totalTokensPerSecond: '218.4',
      status: 'valid',
      flags: 'few_samples',
      meanWatts: '412',
    })
  })

  test('json is the run itself, without its secrets', () => {
    const text = renderReport(run, 'json')
    expect(text).not.toMatch(/leak/)
    const shown = runDocumentSchema.parse(JSON.parse(text))
    const told = { launchCommand: '', startedArgv: [], requestTemplate: {}, cells: [], events: [], reason: '' }
    expect({ ...shown, ...told }).toEqual({ ...run, ...told })
    const cells = (all: RunDocument['cells']) => all.map((cell) => ({ ...cell, logLines: [] }))
    expect(cells(shown.cells)).toEqual(cells(run.cells))
  })

  test.each(['html', 'md', 'csv', 'json'] as const)('a prompt text of the person’s own is in no report: %s', (format) => {
    const text = 'the unpublished novel'
    const prompts = { name: 'novel.txt', texts: [text, 'more'] }
    const promptText = { name: 'novel.txt', texts: 2, sha256: 'ab12'.repeat(16) }
    const report = renderReport({ ...run, plan: { ...run.plan, prompts }, promptText }, format)
    expect(report).not.toContain(text)
    if (format !== 'csv') {
      expect(report).toContain('novel.txt')
      expect(report).toContain(promptText.sha256)
    }
  })
})

describe('a hostile run', () => {
  const run = fullRun(HOSTILE)

  test('html has no markup of its own making, and loads nothing', () => {
    const html = renderReport(run, 'html')
    expect(html).not.toContain('<script')
    expect(html).not.toContain('<img')
    const markup = (html.match(/<[a-z][^>]*>/g) ?? []).map((tag) => tag.replace(/"[^"]*"/g, '""'))
    expect(markup.length).toBeGreaterThan(300)
    expect(markup.filter((tag) => /\son\w+=/.test(tag))).toEqual([])
    expect(html).toContain('&lt;script&gt;')
    expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"`)
    expect(markup.filter((tag) => /\s(src|href|style)=/.test(tag) && !tag.startsWith('<i style'))).toEqual([])
    expect(html).not.toMatch(/url\(|@import/)
    const tags = new Set([...html.matchAll(/<([a-z][a-z0-9]*)/g)].map((match) => match[1]))
    const known = new Set(
      renderReport(fullRun(), 'html')
        .match(/<[a-z][a-z0-9]*/g)
        ?.map((tag) => tag.slice(1)),
    )
    expect([...tags].filter((tag) => !known.has(tag ?? ''))).toEqual([])
  })

  test('markdown tables keep their columns', () => {
    const markdown = renderReport(run, 'md')
    expect(markdown.replace(/```[\s\S]*?```/g, '')).not.toMatch(/<(?!br>)/)
    const tables = markdown.split('\n\n').filter((block) => block.startsWith('| '))
    expect(tables.length).toBeGreaterThan(8)
    for (const table of tables) {
      const widths = new Set(table.split('\n').map((line) => line.replaceAll('\\|', '').split('|').length))
      expect([...widths]).toHaveLength(1)
    }
  })

  test('csv has no formula and keeps its lines', () => {
    const rows = renderReport({ ...run, name: '=cmd()', host: { name: '@x' } }, 'csv')
    expect(rows).toContain("'=cmd()")
    expect(rows).toContain("'@x")
    expect(rows.split('\r\n')).toHaveLength(13)
  })
})

describe('hardware', () => {
  const base = publishedRun('qwen3.5-2b--h200-nvl')
  const of = (patch: object, rest: object = {}) => {
    const texts = hardwareTexts(
      runDocumentSchema.parse({ ...base, launchCommand: undefined, hardware: { ...base.hardware, ...patch }, ...rest }),
    )
    return { title: texts.title, rows: Object.fromEntries(texts.rows.map((row) => [row.label, row.text])) }
  }
  const gpus = (count: number, name: string, memoryMiB?: number) =>
    Array.from({ length: count }, (_, index) => ({ index, name, memoryMiB }))

  test('a CPU is called a CPU', () => {
    const cpu = { gpus: [], cpuModel: 'Intel(R) Xeon(R) Processor', cpuCount: 2, memoryBytes: 8 * 2 ** 30 }
    expect(of(cpu)).toEqual({
      title: 'Intel Xeon Processor (2 cores)',
      rows: { Type: 'CPU', CPU: 'Intel Xeon Processor', Cores: '2', Memory: '8.0 GiB', OS: 'linux' },
    })
    expect(
      of({ ...cpu, gpus: gpus(1, 'NVIDIA H100 PCIe', 81_559) }, { engine: { ...base.engine, backend: 'cpu' } }).rows.Type,
    ).toBe('CPU')
  })

  test('only the GPUs of the server are counted', () => {
    const eight = { gpus: gpus(8, 'NVIDIA H100 80GB HBM3', 81_559) }
    expect(of(eight).title).toBe('H100 80GB HBM3 ×8')
    expect(of(eight, { launchCommand: 'vllm serve m --tensor-parallel-size=2' })).toMatchObject({
      title: 'H100 80GB HBM3 ×2',
      rows: { VRAM: '160 GB (2 × 80 GB)', 'GPU count': '2' },
    })
    expect(of(eight, { launchCommand: 'vllm serve m -tp 2 -pp 2' }).title).toBe('H100 80GB HBM3 ×4')
    expect(of(eight, { launchCommand: 'vllm serve m' }).rows).not.toHaveProperty('GPU count')
    const mixed = { gpus: [...gpus(1, 'NVIDIA GeForce RTX 4090', 24_564), { index: 1, name: 'NVIDIA L4', memoryMiB: 23_034 }] }
    expect(of(mixed, { launchCommand: 'CUDA_VISIBLE_DEVICES=1 vllm serve m' }).title).toBe('L4 24GB')
    expect(of(mixed)).toMatchObject({ title: 'GeForce RTX 4090 24GB + L4 24GB', rows: { VRAM: '48 GB (1 × 24 GB + 1 × 24 GB)' } })
  })

  test('unified memory, and nothing known', () => {
    expect(of({ gpus: gpus(1, 'NVIDIA GB10') })).toMatchObject({
      title: 'GB10 128GB',
      rows: { Type: 'GPU with unified memory', VRAM: '128 GB, shared with the CPU' },
    })
    const unknown = hardwareTexts(runDocumentSchema.parse({ ...base, hardware: undefined, host: undefined }))
    expect(unknown).toEqual({ rows: [], more: [] })
  })

  test.each([
    ['NVIDIA H200', 143_771, 141],
    ['NVIDIA H200 NVL', 143_771, 141],
    ['NVIDIA RTX PRO 6000 Blackwell Workstation Edition', 97_887, 96],
    ['NVIDIA A100-SXM4-40GB', 40_960, 40],
    ['NVIDIA A100-PG509-200', 81_920, 80],
    ['NVIDIA H100 PCIe', 81_559, 80],
    ['NVIDIA H100 NVL', 95_830, 94],
    ['NVIDIA B200', 183_359, 180],
    ['NVIDIA L40S', 46_068, 48],
    ['NVIDIA GeForce RTX 5090', 32_607, 32],
    ['Tesla V100-SXM2-32GB', 32_768, 32],
    ['Some New GPU', 48_640, 48],
    ['Some New GPU', undefined, undefined],
    ['AMD Instinct MI300X', 196_592, 192],
  ])('%s with %s MiB has %s GB', (name, memoryMiB, gb) => expect(nominalMemoryGb(name, memoryMiB)).toBe(gb))
})

test('file names say what is inside and fit every file system', () => {
  expect(reportFileName(fullRun(), 'html')).toBe('speedgrid-Qwen3.5-2B-Base-lab1-demo-2026-10-01.html')
  const hostile = { ...fullRun(), demo: false, host: { name: '../../etc' }, startedAt: undefined }
  expect(reportFileName(hostile, 'md')).toBe('speedgrid-Qwen3.5-2B-Base-etc.md')
})

test('an empty run still makes a report', () => {
  const empty = runDocumentSchema.parse({
    schema: 'speedgrid.run/1',
    id: 'x',
    name: 'x',
    state: 'failed',
    plan: { contexts: [0], concurrency: [1] },
    path: { driver: 'local' },
    prefill: [],
    cells: [],
    timing: { wallSeconds: 0, windowSeconds: 0, prefillSeconds: 0 },
  })
  for (const format of REPORT_FORMATS) expect(renderReport(empty, format)).not.toMatch(/NaN|undefined|Infinity/)
})
