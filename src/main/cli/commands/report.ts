import { statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { REPORT_FORMATS } from '../../../shared/contract/reports.ts'
import { SpeedgridError } from '../../../shared/model/error.ts'
import { type ExportFormat, renderReport, reportFileName } from '../../../shared/report/index.ts'
import { writeExport } from '../../reports/index.ts'
import type { CommandContext } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { nearest } from '../nearest.ts'
import type { Registration } from '../program.ts'

export function registerReport({ program, run }: Registration): void {
  program
    .command('report')
    .argument('<run>', 'id, beginning of an id, name, or last')
    .option('--format <format>', `${REPORT_FORMATS.join(', ')} (html, or what the end of -o says)`)
    .option('-o, --output <file>', 'file or folder; stdout when absent (pdf, png, and html at a terminal: a file here)')
    .description('a report of a run; pdf and png need an installed Chromium or Chrome')
    .action((idOrName: string, options: { format?: string; output?: string }) =>
      run('report', (context) => report(context, idOrName, options)),
    )
}

async function report(context: CommandContext, idOrName: string, options: { format?: string; output?: string }): Promise<number> {
  const { output, deps } = context
  const format = formatOf(options.format ?? formatOfName(options.output) ?? 'html')
  const { store } = await context.engine()
  const document = store.runs.document(store.runs.find(idOrName).id)
  const isPrinted = format === 'pdf' || format === 'png'
  const toFile = isPrinted || (format === 'html' && (deps.stdout.isTTY === true || output.json))
  const target = options.output ?? (toFile ? '.' : '-')
  if (target === '-') {
    if (isPrinted) {
      throw new SpeedgridError('usage', `A report as ${format.toUpperCase()} goes into a file.`, {
        nextStep: 'Name one with -o.',
      })
    }
    // One JSON document on stdout: with --json a report that is JSON is that document, any other is carried in one.
    if (output.json && format !== 'json') output.document({ format, report: renderReport(document, format) })
    else deps.stdout.write(renderReport(document, format))
    return EXIT.done
  }
  const typed = context.path(target)
  const file = isFolder(typed) ? join(typed, reportFileName(document, format)) : typed
  await writeExport(document, format, file, deps)
  output.both(file, { run: document.id, format, file })
  return EXIT.done
}

function formatOf(name: string): ExportFormat {
  const known = REPORT_FORMATS.find((format) => format === name.toLowerCase())
  if (known) return known
  const near = nearest(name, REPORT_FORMATS)
  throw new SpeedgridError('usage', `There is no report format "${name}".`, {
    nextStep: `${near ? `Did you mean ${near}? ` : ''}There are ${REPORT_FORMATS.join(', ')}.`,
  })
}

/** `.markdown` and `.htm` are said too. */
function formatOfName(file: string | undefined): string | undefined {
  const end = file ? extname(file).slice(1).toLowerCase() : ''
  const aliases: Record<string, string> = { markdown: 'md', htm: 'html' }
  return aliases[end] ?? REPORT_FORMATS.find((format) => format === end)
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
