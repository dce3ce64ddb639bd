import { isAbsolute } from 'node:path'
import type { ReportsApi } from '../../../shared/contract/reports.ts'
import { SpeedgridError } from '../../../shared/model/error.ts'
import { exportReport, writeExport } from '../../reports/index.ts'
import type { Store } from '../../store/index.ts'
import type { VouchedPaths } from './vouched-paths.ts'

interface Deps {
  store: Store
  platform: NodeJS.Platform
  env: Record<string, string | undefined>
  /** What the shell's dialog has chosen. Absent behind a browser page: there is no dialog, and downloads are the browser's. */
  vouched: VouchedPaths | undefined
}

export function createReportsApi({ store, vouched, ...places }: Deps): ReportsApi {
  const documentOf = (runId: string) => store.runs.document(store.runs.find(runId).id)
  return {
    render: async ({ runId, format }) => {
      const { fileName, mediaType, data } = await exportReport(documentOf(runId), format, places)
      return typeof data === 'string'
        ? { fileName, mediaType, encoding: 'utf8', data }
        : { fileName, mediaType, encoding: 'base64', data: data.toString('base64') }
    },
    write: async ({ runId, format, path }) => {
      if (vouched === undefined) {
        throw new SpeedgridError('usage', 'A page in a browser writes no files on the machine of the engine.', {
          nextStep: 'Download the report instead.',
        })
      }
      if (!isAbsolute(path)) throw new SpeedgridError('usage', `${path} is not a whole path.`)
      // A page could say any path: what counts is what the person chose.
      if (!vouched.take(path)) {
        throw new SpeedgridError('usage', `${path} was not chosen in a dialog.`, {
          nextStep: 'Export the report again and choose the file.',
        })
      }
      await writeExport(documentOf(runId), format, path, places)
      return { path }
    },
  }
}
