import { contextLabel, countText, markdownBlock, markdownTable, markdownText } from '../format/index.ts'
import type { Matrix, Pair, ReportModel, ReportTable } from './types.ts'

/** The report as GitHub-flavoured Markdown, same order as the published pages, our additions below. */
export function renderMarkdown(report: ReportModel): string {
  const parts = [
    `# ${markdownText(report.title)}`,
    `## ${markdownText(report.heading)}`,
    report.demoLabel === undefined ? '' : `> **${markdownText(report.demoLabel)}**`,
    report.stateLabel === undefined ? '' : `> ${markdownText(report.stateLabel)}`,
    [report.engineLine, report.gridLine]
      .filter((line) => line !== '')
      .map(markdownText)
      .join('  \n'),
    report.note === undefined ? '' : `Note: ${markdownText(report.note)}`,
    section('Hardware', pairs(report.hardware)),
    section('Engine', pairs(report.engine)),
    section('Run', pairs(report.run)),
    report.launchCommand === undefined ? '' : section('Launch command', markdownBlock(report.launchCommand, 'sh')),
    report.prefill.length === 0 ? '' : section('Prefill', 'prompt tok/s by context length', prefillTable(report)),
    section(
      'Sustained decode',
      'total tok/s over TTFT · rows are context length, columns are simultaneous requests',
      matrixTable(report.matrix),
    ),
    ...report.statusNotes.map((note) => `${note.label}: ${markdownText(note.text)}`),
    markdownText(report.ttftNote),
    section('All measurements', markdownText(report.measurementsNote), table(report.measurements)),
    additions(report),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function additions(report: ReportModel): string {
  const tables = [report.doubts, report.reasons, ...report.tables].filter((it) => it !== undefined)
  return [
    '## Behind the figures',
    ...tables.map((it) => section(it.title, it.note === undefined ? '' : markdownText(it.note), table(it))),
    ...report.logs.map((log) => section(log.title, markdownBlock(log.lines.join('\n')))),
    section('How it was measured', pairs(report.conduct)),
    report.moreHardware.length === 0 ? '' : section('The host', pairs(report.moreHardware)),
    report.startedCommand === undefined ? '' : section('What was really started', markdownBlock(report.startedCommand, 'sh')),
    report.requestTemplate === undefined
      ? ''
      : section('Body of a measured request', markdownBlock(report.requestTemplate, 'json')),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

const section = (title: string, ...body: string[]) =>
  [`### ${markdownText(title)}`, ...body.filter((part) => part !== '')].join('\n\n')

const pairs = (rows: Pair[]) =>
  rows.length === 0 ? 'Not known.' : rows.map(({ label, text }) => `- ${markdownText(label)}: ${markdownText(text)}`).join('\n')

const table = (it: ReportTable) =>
  markdownTable(
    it.columns.map((column) => markdownText(column.label)),
    it.rows.map((row) => row.map(markdownText)),
    it.columns.map((column) => (column.numeric ? 'r' : 'l')),
  )

const prefillTable = (report: ReportModel) =>
  markdownTable(
    ['Context', 'Prompt tok/s', 'TTFT'],
    report.prefill.map((entry) => [
      markdownText(entry.context),
      markdownText(entry.rate),
      markdownText(entry.ttft.replace(/ TTFT$/, '')),
    ]),
    ['l', 'r', 'r'],
  )

const matrixTable = (matrix: Matrix) =>
  markdownTable(
    ['Context', ...matrix.levels.map(countText)],
    matrix.rows.map((row, index) => [
      contextLabel(matrix.contexts[index] ?? 0),
      ...row.map((cell) =>
        cell.rate === undefined ? markdownText(cell.label) : `${cell.rate}<br>${markdownText(cell.ttft ?? '')}`,
      ),
    ]),
    ['l', ...matrix.levels.map(() => 'r' as const)],
  )
