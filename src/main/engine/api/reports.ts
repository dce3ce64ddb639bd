import { isAbsolute } from 'node:path'
import type { ReportsApi } from '../../../shared/contract/reports.ts'
import { SpeedgridError } from '../../../shared/model/error.ts'
import { exportReport, writeExport } from '../../reports/index.ts'
import type { Store } from '../../store/index.ts'

interface Deps {
  store: Store
  platform: NodeJS.Platform
  env: Record<string, string | undefined>
  /** False behind a browser page: there nobody has chosen a path in a dialog, and downloads are the browser's. */
  mayWriteFiles: boolean
}

export function createReportsApi({ store, mayWriteFiles, ...places }: Deps): ReportsApi {
  const documentOf = (runId: string) => store.runs.document(store.runs.find(runId).id)
  return {
    render: async ({ runId, format }) => {
      const { fileName, mediaType, data } = await exportReport(documentOf(runId), format, places)
      return typeof data === 'string'
        ? { fileName, mediaType, encoding: 'utf8', data }
        : { fileName, mediaType, encoding: 'base64', data: data.toString('base64') }
    },
    write: async ({ runId, format, path }) => {
      if (!mayWriteFiles) {
        throw new SpeedgridError('usage', 'A page in a browser writes no files on the machine of the engine.', {
          nextStep: 'Download the report instead.',
        })
      }
      if (!isAbsolute(path)) throw new SpeedgridError('usage', `${path} is not a whole path.`)
      await writeExport(documentOf(runId), format, path, places)
      return { path }
    },
  }
}
