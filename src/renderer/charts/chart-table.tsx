import { markdownTable, markdownText } from '../../shared/format/index.ts'
import type { ChartTable } from './chart-model.ts'
import classes from './chart.module.css'

export const tableAsMarkdown = ({ columns, rows }: ChartTable): string =>
  markdownTable(
    columns.map(markdownText),
    rows.map((row) => row.map(markdownText)),
    columns.map((_, index) => (index === 0 ? 'l' : 'r')),
  )

export const tableAsTsv = ({ columns, rows }: ChartTable): string =>
  [columns, ...rows].map((row) => row.map(plain).join('\t')).join('\n')
const plain = (text: string) => text.replace(/[\t\r\n]+/g, ' ')

/** The numbers behind a picture. */
export function ChartTableView({ table, title }: { table: ChartTable; title: string }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scroll area must be reachable by keyboard
    <div className={classes.tableFrame} tabIndex={0} role="region" aria-label={`${title}, as numbers`}>
      <table className={classes.table}>
        <thead>
          <tr>
            {table.columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- rows have no other name
            <tr key={index}>
              {row.map((text, at) =>
                at === 0 ? (
                  <th key={table.columns[at]} scope="row">
                    {text}
                  </th>
                ) : (
                  <td key={table.columns[at]}>{text}</td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
