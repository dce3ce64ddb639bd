import { contextLabel, countText, htmlText } from '../../format/index.ts'
import type { MatrixCell, Pair, PrefillEntry, ReportModel, ReportTable } from '../types.ts'
import { STATUS_LABELS } from '../statuses.ts'
import { heatClass } from './style.ts'

export const pairList = (rows: Pair[], wide = false): string =>
  `<dl class="pairs${wide ? ' wide' : ''}">${rows.map(({ label, text }) => `<dt>${htmlText(label)}</dt><dd>${htmlText(text)}</dd>`).join('')}</dl>`

export function factCards(report: ReportModel): string {
  const card = (title: string, rows: Pair[]) =>
    `<div class="card"><h2>${title}</h2>${rows.length === 0 ? '<p>Not known.</p>' : pairList(rows)}</div>`
  return `<div class="facts">${card('Hardware', report.hardware)}${card('Engine', report.engine)}${card('Run', report.run)}</div>`
}

export const commandCard = (title: string, text: string): string =>
  `<div class="card command"><h2>${htmlText(title)}</h2><pre><code>${htmlText(text)}</code></pre></div>`

export function prefillSection(entries: PrefillEntry[]): string {
  if (entries.length === 0) return ''
  const fastest = Math.max(...entries.map((entry) => entry.tokensPerSecond ?? 0))
  const cards = entries.map((entry) => {
    const share = entry.tokensPerSecond === undefined ? 0 : Math.round((entry.tokensPerSecond / fastest) * 100)
    const hint = entry.doubts.length === 0 ? '' : ` title="${htmlText(entry.doubts.join('\n'))}"`
    return (
      `<div class="card"${hint}><span class="ctx">${htmlText(entry.context)} context</span><b>${htmlText(entry.rate)}</b>` +
      `<span class="ttft">${htmlText(entry.ttft)}</span><i style="--share:${String(share)}%"></i></div>`
    )
  })
  return `<section><header><h2>Prefill</h2><p>prompt tok/s by context length</p></header><div class="prefill">${cards.join('')}</div></section>`
}

export function matrixTable(report: ReportModel): string {
  const { contexts, levels, rows } = report.matrix
  const head = levels.map((level) => `<th scope="col">${countText(level)}</th>`).join('')
  const body = rows
    .map((row, index) => `<tr><th scope="row">${contextLabel(contexts[index] ?? 0)}</th>${row.map(matrixCell).join('')}</tr>`)
    .join('')
  const many = levels.length > 10 ? ' many' : ''
  return (
    `<div class="scroll matrix${many}" role="region" tabindex="0" aria-label="Sustained decode matrix">` +
    `<table><thead><tr><th scope="col">Context</th>${head}</tr></thead><tbody>${body}</tbody></table></div>${legend(report)}`
  )
}

function matrixCell(cell: MatrixCell): string {
  const hint = [...(cell.reason === undefined ? [] : [cell.reason]), ...cell.doubts].join('\n')
  const title = hint === '' ? '' : ` title="${htmlText(hint)}"`
  const doubt = cell.doubts.length > 0 ? ' doubt' : ''
  if (cell.rate === undefined) return `<td class="none ${cell.status ?? ''}${doubt}"${title}>${htmlText(cell.label)}</td>`
  return `<td class="${heatClass(cell.heat)}${doubt}"${title}><b>${htmlText(cell.rate)}</b><small>${htmlText(cell.ttft ?? '')}</small></td>`
}

function legend(report: ReportModel): string {
  const cells = report.matrix.rows.flat()
  const statuses = [...new Set(cells.map((cell) => cell.status))].filter((status) => status !== undefined && status !== 'valid')
  const ramp = `<span>slower <span class="ramp" aria-hidden="true">${Array.from({ length: 10 }, (_, step) => `<i class="h${String(step)}"></i>`).join('')}</span> faster, logarithmic</span>`
  const marks = statuses.map((status) => `<span><i class="${status}" aria-hidden="true"></i>${STATUS_LABELS[status]}</span>`)
  const doubt = cells.some((cell) => cell.doubts.length > 0)
    ? '<span><i class="doubt" aria-hidden="true"></i>see Doubts below</span>'
    : ''
  return `<div class="legend">${cells.some((cell) => cell.heat !== undefined) ? ramp : ''}${marks.join('')}${doubt}</div>`
}

const STATUS_CLASSES = new Map(Object.entries(STATUS_LABELS).map(([status, label]) => [label, status]))

/** Any table; in a column called Status the text also gets its sign. */
export function dataTable(table: ReportTable): string {
  const statusColumn = table.columns.findIndex((column) => column.label === 'Status')
  const contextColumn = table.columns.findIndex((column) => column.label === 'Context')
  const head = table.columns
    .map((column) => `<th scope="col"${column.numeric ? ' class="n"' : ''}>${htmlText(column.label)}</th>`)
    .join('')
  const body = table.rows.map((row, rowIndex) => {
    const cells = row.map((text, index) => {
      const classes = [
        table.columns[index]?.numeric === true ? 'n' : '',
        index === statusColumn ? `st ${STATUS_CLASSES.get(text) ?? ''}` : '',
        text.length > 28 ? 'w' : '',
        table.marked?.[rowIndex]?.[index] === true ? 'few' : '',
      ].filter((name) => name !== '')
      return `<td${classes.length === 0 ? '' : ` class="${classes.join(' ')}"`}>${htmlText(text)}</td>`
    })
    const before = table.rows[rowIndex - 1]
    const part = contextColumn >= 0 && before !== undefined && before[contextColumn] !== row[contextColumn] ? ' class="part"' : ''
    return `<tr${part}>${cells.join('')}</tr>`
  })
  return (
    `<div class="scroll data" role="region" tabindex="0" aria-label="${htmlText(table.title)}">` +
    `<table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table></div>`
  )
}
