import type { RunDocument } from '../../shared/model/run.ts'
import type { ReportFormat } from '../../shared/report/index.ts'
import { renderReport } from '../../shared/report/index.ts'
import { writeFileWhole } from './write-file.ts'

/**
 * Writes the report of a run to `path` (absolute). Nobody ever sees half a report: an old file stays until the new one is complete.
 * Throws not_found (no such folder), disk_full, read_only, conflict (a folder is in the way) or internal.
 */
export async function writeReport(run: RunDocument, format: ReportFormat, path: string): Promise<void> {
  await writeFileWhole(path, renderReport(run, format))
}
