import { describe, expect, test } from 'vitest'
import { PUBLISHED, publishedRun, publishedTexts } from '../../../test/published-runs.ts'
import { buildReport, renderReport } from './index.ts'

/** Text of the cells of an HTML table, without markup: what a reader copies. */
function htmlCells(html: string, label: string): string[][] {
  const region = html.slice(html.indexOf(`aria-label="${label}"`))
  const body = /<tbody>([\s\S]*?)<\/tbody>/.exec(region)?.[1] ?? ''
  const cells = (row: string) =>
    [...row.matchAll(/<t[hd][^>]*>([\s\S]*?)<\/t[hd]>/g)].map((match) => (match[1] ?? '').replace(/<[^>]+>/g, ''))
  return [...body.matchAll(/<tr[^>]*>([\s\S]*?)<\/tr>/g)].map((match) => cells(match[1] ?? ''))
}

/** Rows of the Markdown table under a heading. */
function markdownCells(text: string, heading: string): string[][] {
  const part = text.slice(text.indexOf(`### ${heading}`)).split('\n### ')[0] ?? ''
  const lines = (part.startsWith('###') ? part : text.slice(text.indexOf(`### ${heading}`))).split('\n')
  const start = lines.findIndex((line) => line.startsWith('|---'))
  const rows: string[][] = []
  for (const line of lines.slice(start + 1)) {
    if (!line.startsWith('| ')) break
    rows.push(line.slice(2, -2).split(' | '))
  }
  return rows
}

const LABELS = [
  'Speed test matrix',
  'Hardware',
  'Type',
  'GPU',
  'VRAM',
  'OS',
  'Engine',
  'Version',
  'Quantization',
  'Backend',
  'Repository',
  'Build',
  'Commit',
  'Run',
  'Served model',
  'Revision',
  'Benchmark tool',
  'Decode test',
  'Fixed duration',
  'Prefill mode',
  'Measured during decode warm-up',
  'Time per measurement',
  '30 s',
  'Max output',
  '4,096 tokens',
  'Launch command',
  'Prefill',
  'Sustained decode',
  'All measurements',
]
const COLUMNS =
  'Phase | Context | Requests at once | Status | Total tok/s | Per request tok/s | TTFT | Time between tokens | Average active requests | Completed requests | Output tokens | Measured for'

describe.each(PUBLISHED)('the report of %s says what was published', (slug) => {
  const run = publishedRun(slug)
  const published = publishedTexts(slug)
  const report = buildReport(run)
  const html = renderReport(run, 'html')
  const markdown = renderReport(run, 'md')

  test('heading and lines', () => {
    expect(report.heading).toBe(published.heading)
    expect(report.engineLine).toBe(published.engineLine)
    expect(report.gridLine).toBe(published.gridLine)
    expect(report.hardware.find((row) => row.label === 'VRAM')?.text).toBe(published.vram)
    expect(report.hardware.map((row) => row.label)).toEqual(
      published.vram.includes('×') ? ['Type', 'GPU', 'GPU count', 'VRAM', 'OS'] : ['Type', 'GPU', 'VRAM', 'OS'],
    )
    expect(report.hardware[0]?.text).toBe('Discrete GPU')
    expect(report.launchCommand).toBe(run.launchCommand)
  })

  test('the matrix, cell by cell', () => {
    expect(published.matrix).toHaveLength(6)
    expect(htmlCells(html, 'Sustained decode matrix')).toEqual(published.matrix)
    expect(markdownCells(markdown, 'Sustained decode').map((row) => row.map((cell) => cell.replace('<br>', '')))).toEqual(
      published.matrix,
    )
  })

  test('all measurements, cell by cell', () => {
    expect(published.measurements).toHaveLength(55)
    expect(report.measurements.columns.map((column) => column.label).join(' | ')).toBe(COLUMNS)
    expect(report.measurements.rows).toEqual(published.measurements)
    expect(htmlCells(html, 'All measurements')).toEqual(published.measurements)
    expect(markdownCells(markdown, 'All measurements')).toEqual(published.measurements)
  })

  test('prefill', () => {
    const rows = published.measurements.filter((row) => row[0] === 'Prefill')
    expect(report.prefill.map((entry) => [entry.context, entry.rate, entry.ttft])).toEqual(
      rows.map((row) => [row[1], row[4], `${row[6] ?? ''} TTFT`]),
    )
  })

  test('labels in the published order', () => {
    const text = html
      .slice(html.indexOf('<main>'))
      .replace(/<(style|svg)[\s\S]*?<\/\1>/g, '')
      .replace(/<[^>]+>/g, '\n')
    let at = 0
    for (const label of LABELS) {
      const found = text.indexOf(`\n${label}\n`, at)
      expect(found, label).toBeGreaterThanOrEqual(0)
      at = found + label.length
    }
  })

  test('only statuses that occur are explained', () => {
    const looped = published.matrix.flat().includes('Looped')
    expect(html.includes('<b>Looped:</b>')).toBe(looped)
    expect(html).toContain('<b>Over capacity:</b>')
    expect(html).not.toContain('<b>Error:</b>')
  })
})
