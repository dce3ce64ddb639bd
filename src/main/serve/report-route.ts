import { REPORT_FORMATS } from '../../shared/contract/reports.ts'
import type { EngineApi } from '../../shared/contract/api.ts'
import { REPORT_POLICY } from './headers.ts'

const PATH = /^\/report\/([A-Za-z0-9_-]{1,100})\.([a-z]{2,4})$/

export interface ReportAnswer {
  headers: Record<string, string>
  data: Buffer
}

/** `/report/RUN.FORMAT` is a download, `?show` a page. undefined where the address is none of these; throws what rendering throws. */
export async function answerReport(api: EngineApi, url: URL): Promise<ReportAnswer | undefined> {
  const [, runId, ending] = PATH.exec(url.pathname) ?? []
  const format = REPORT_FORMATS.find((one) => one === ending)
  if (runId === undefined || format === undefined) return undefined
  const report = await api.reports.render({ runId, format })
  const shown = url.searchParams.has('show')
  return {
    headers: {
      'content-type': report.mediaType,
      'content-disposition': `${shown ? 'inline' : 'attachment'}; filename="${report.fileName.replace(/[^A-Za-z0-9._-]/g, '-')}"`,
      'content-security-policy': REPORT_POLICY,
      'cache-control': 'no-store',
    },
    data: Buffer.from(report.data, report.encoding),
  }
}
