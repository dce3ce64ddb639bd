import { SpeedgridError } from '../../shared/model/error.ts'
import type { RunDocument } from '../../shared/model/run.ts'
import { type ExportFormat, renderReport, reportFileName } from '../../shared/report/index.ts'
import { type ChromiumPlaces, findChromium } from './find-chromium.ts'
import { printPage } from './print-page.ts'
import { writeFileWhole } from './write-file.ts'

const MEDIA_TYPES: Record<ExportFormat, string> = {
  html: 'text/html; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  json: 'application/json',
  pdf: 'application/pdf',
  png: 'image/png',
}

interface ExportedReport {
  fileName: string
  mediaType: string
  data: string | Buffer
}

/** A run in any format; PDF and PNG by an installed Chromium. Throws `not_found` where there is none. */
export async function exportReport(run: RunDocument, format: ExportFormat, places: ChromiumPlaces): Promise<ExportedReport> {
  const file = { fileName: reportFileName(run, format), mediaType: MEDIA_TYPES[format] }
  if (format !== 'pdf' && format !== 'png') return { ...file, data: renderReport(run, format) }
  const chromium = await findChromium(places)
  if (chromium === undefined) throw noChromium(format, places)
  return { ...file, data: await printPage(chromium, renderReport(run, 'html'), format) }
}

/** The same, written as a whole or not at all. */
export async function writeExport(run: RunDocument, format: ExportFormat, path: string, places: ChromiumPlaces): Promise<void> {
  await writeFileWhole(path, (await exportReport(run, format, places)).data)
}

function noChromium(format: 'pdf' | 'png', { env }: ChromiumPlaces): SpeedgridError {
  const chosen = env.SPEEDGRID_CHROMIUM
  return new SpeedgridError(
    'not_found',
    `A report as ${format.toUpperCase()} needs a Chromium on this machine, and there is none.`,
    {
      evidence: chosen ? [`SPEEDGRID_CHROMIUM names ${chosen}, which can't be run`] : [],
      nextStep: 'Install Chromium or Chrome (or name one with SPEEDGRID_CHROMIUM), or take HTML: it is made for printing.',
    },
  )
}
