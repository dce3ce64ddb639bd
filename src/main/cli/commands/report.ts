import { statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { SpeedgridError } from '../../../shared/model/error.ts'
import { REPORT_FORMATS, type ReportFormat, renderReport, reportFileName } from '../../../shared/report/index.ts'
import { writeReport } from '../../reports/index.ts'
import type { CommandContext } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { nearest } from '../nearest.ts'
import type { Registration } from '../program.ts'

export function registerReport({ program, run }: Registration): void {
  program
    .command('report')
    .argument('<run>', 'id, beginning of an id, name, or last')
    .option('--format <format>', `${REPORT_FORMATS.join(', ')} (html, or what the end of -o says)`)
    .option('-o, --output <file>', 'file or folder; stdout when absent (html at a terminal: a file here)')
    .description('a report of a run')
    .action((idOrName: string, options: { format?: string; output?: string }) =>
      run('report', (context) => report(context, idOrName, options)),
    )
}

async function report(context: CommandContext, idOrName: string, options: { format?: string; output?: string }): Promise<number> {
  const { output, deps } = context
  const format = formatOf(options.format ?? formatOfName(options.output) ?? 'html')
  const { store } = await context.engine()
  const document = store.runs.document(store.runs.find(idOrName).id)
  const toTerminal = deps.stdout.isTTY === true
  const target = options.output ?? (format === 'html' && (toTerminal || output.json) ? '.' : '-')
  if (target === '-') {
    // One JSON document on stdout: with --json a report that is JSON is that document, any other is carried in one.
    if (output.json && format !== 'json') output.document({ format, report: renderReport(document, format) })
    else deps.stdout.write(renderReport(document, format))
    return EXIT.done
  }
  const typed = context.path(target)
  const file = isFolder(typed) ? join(typed, reportFileName(document, format)) : typed
  await writeReport(document, format, file)
  output.both(file, { run: document.id, format, file })
  return EXIT.done
}

function formatOf(name: string): ReportFormat {
  const known = REPORT_FORMATS.find((format) => format === name.toLowerCase())
  if (known) return known
  if (name === 'pdf' || name === 'png') {
    throw new SpeedgridError('usage', `Reports as ${name.toUpperCase()} come with the window, which isn't in this version.`, {
      nextStep: 'Use --format html and print it from a browser; it is made for that.',
    })
  }
  const near = nearest(name, REPORT_FORMATS)
  throw new SpeedgridError('usage', `There is no report format "${name}".`, {
    nextStep: `${near ? `Did you mean ${near}? ` : ''}There are ${REPORT_FORMATS.join(', ')}.`,
  })
}

/** `.markdown` and `.htm` are said too. */
function formatOfName(file: string | undefined): string | undefined {
  const end = file ? extname(file).slice(1).toLowerCase() : ''
  const aliases: Record<string, string> = { markdown: 'md', htm: 'html', pdf: 'pdf', png: 'png' }
  return aliases[end] ?? REPORT_FORMATS.find((format) => format === end)
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
