import { htmlText } from '../../format/index.ts'
import type { Pair, ReportModel, ReportTable } from '../types.ts'
import { renderCharts } from './charts.ts'
import { commandCard, dataTable, factCards, matrixTable, pairList, prefillSection } from './sections.ts'
import { styleSheet } from './style.ts'

/** One self-contained page: no script, nothing loaded, and a policy that forbids both. */
export function renderHtml(report: ReportModel): string {
  const landscape = report.matrix.levels.length > 10
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${htmlText(report.title)} · ${htmlText(report.heading)}${report.demoLabel === undefined ? '' : ` · ${htmlText(report.demoLabel)}`}</title>`,
    `<style>${styleSheet(landscape)}</style>`,
    '</head>',
    '<body>',
    `<main${landscape ? ' class="wide"' : ''}>`,
    top(report),
    factCards(report),
    report.launchCommand === undefined ? '' : commandCard('Launch command', report.launchCommand),
    prefillSection(report.prefill),
    decodeSection(report),
    measurementsSection(report),
    additions(report),
    foot(report),
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

function top(report: ReportModel): string {
  const lines = [report.engineLine, report.gridLine].filter((line) => line !== '').map((line) => `<p>${htmlText(line)}</p>`)
  return (
    `<header><p class="eyebrow">${htmlText(report.title)}</p><h1>${htmlText(report.heading)}</h1><div class="lines">${lines.join('')}</div>` +
    (report.demoLabel === undefined ? '' : `<p class="banner" role="note">${htmlText(report.demoLabel)}</p>`) +
    (report.stateLabel === undefined ? '' : `<p class="banner state" role="note">${htmlText(report.stateLabel)}</p>`) +
    (report.note === undefined ? '' : `<p class="lines">${htmlText(report.note)}</p>`) +
    '</header>'
  )
}

function decodeSection(report: ReportModel): string {
  return (
    '<section><header><h2>Sustained decode</h2><p>total tok/s · rows are context length, columns are simultaneous requests</p></header>' +
    `${matrixTable(report)}${notes(report.statusNotes, report.ttftNote)}${renderCharts(report)}</section>`
  )
}

const notes = (statuses: Pair[], ...sentences: string[]) =>
  `<div class="notes">${statuses.map((note) => `<p><b>${htmlText(note.label)}:</b> ${htmlText(note.text)}</p>`).join('')}${sentences.map((text) => `<p>${htmlText(text)}</p>`).join('')}</div>`

function measurementsSection(report: ReportModel): string {
  const few = report.measurements.marked?.some((row) => row.includes(true)) === true
  const sentences = few ? ['° fewer than three requests are behind this median.'] : []
  return (
    `<section><header><h2>${htmlText(report.measurements.title)}</h2><p>${htmlText(report.measurementsNote)}</p></header>` +
    `${dataTable(report.measurements)}${notes(report.statusNotes, ...sentences)}</section>`
  )
}

function additions(report: ReportModel): string {
  const tables = [report.doubts, report.reasons, ...report.tables].filter((table) => table !== undefined)
  const parts = [
    ...tables.map(foldedTable),
    ...report.logs.map((log) => folded(log.title, `<div class="card"><pre>${htmlText(log.lines.join('\n'))}</pre></div>`)),
    folded('How it was measured', `<div class="card">${pairList(report.conduct, true)}</div>`),
    report.moreHardware.length === 0 ? '' : folded('The host', `<div class="card">${pairList(report.moreHardware, true)}</div>`),
    report.startedCommand === undefined
      ? ''
      : folded('What was really started', `<div class="card"><pre><code>${htmlText(report.startedCommand)}</code></pre></div>`),
    report.requestTemplate === undefined
      ? ''
      : folded(
          'Body of a measured request',
          `<div class="card"><pre><code>${htmlText(report.requestTemplate)}</code></pre></div>`,
        ),
  ]
  return `<section><header><h2>Behind the figures</h2><p>what makes them trustworthy, and what does not</p></header>${parts.join('')}</section>`
}

// Open from the start: a closed one would be missing from a print.
const folded = (title: string, body: string, note?: string) =>
  `<details open><summary>${htmlText(title)}</summary>${note === undefined ? '' : `<p>${htmlText(note)}</p>`}${body}</details>`

const foldedTable = (table: ReportTable) => folded(table.title, dataTable(table), table.note)

const foot = (report: ReportModel) =>
  `<footer><span>${htmlText(report.run.find((row) => row.label === 'Benchmark tool')?.text ?? 'speedgrid')}</span>${
    report.demoLabel === undefined ? '' : `<span>${htmlText(report.demoLabel)}</span>`
  }<span>${htmlText(report.conduct.find((row) => row.label === 'Measured')?.text ?? '')}</span></footer>`
