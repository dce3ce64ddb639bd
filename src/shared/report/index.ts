import type { RunDocument } from '../model/run.ts'
import { jsonText } from '../format/index.ts'
import { buildReport } from './build.ts'
import { renderCsv } from './csv.ts'
import { renderHtml } from './html/page.ts'
import { renderMarkdown } from './markdown.ts'
import { cleanRun, publicRun } from './public-run.ts'
import type { ReportFormat } from './types.ts'

export { buildReport, DEMO_LABEL } from './build.ts'
export { FLAG_MEANINGS, flagLabel } from './flags.ts'
export { hardwareTexts } from './hardware.ts'
export { nominalMemoryGb } from './gpu-memory.ts'
export { reportFileName } from './file-name.ts'
export { STATUS_LABELS } from './statuses.ts'
export { publicRun } from './public-run.ts'
export { REPORT_FORMATS } from './types.ts'
export type * from './types.ts'

/** A run as one text of the format asked for. Pure: the same run always gives the same bytes. */
export function renderReport(run: RunDocument, format: ReportFormat): string {
  return RENDERERS[format](format === 'json' ? run : cleanRun(run))
}

const RENDERERS: Record<ReportFormat, (run: RunDocument) => string> = {
  html: (run) => renderHtml(buildReport(run)),
  md: (run) => renderMarkdown(buildReport(run)),
  csv: renderCsv,
  json: (run) => `${jsonText(publicRun(run), 2)}
`,
}
