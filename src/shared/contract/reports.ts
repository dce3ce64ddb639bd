import { z } from 'zod'

export const REPORT_FORMATS = ['html', 'md', 'csv', 'json', 'pdf', 'png'] as const
export const reportInput = z.strictObject({ runId: z.string().min(1).max(100), format: z.enum(REPORT_FORMATS) })
export const writeReportInput = z.strictObject({
  runId: z.string().min(1).max(100),
  format: z.enum(REPORT_FORMATS),
  path: z.string().min(1).max(4096),
})

export interface ReportsApi {
  /** The report itself: preview and export are the same bytes. pdf and png come as base64. */
  render(
    input: z.infer<typeof reportInput>,
  ): Promise<{ fileName: string; mediaType: string; encoding: 'utf8' | 'base64'; data: string }>
  /** Written by the engine to a path the person has just chosen in a dialog of the shell, which vouches for it past the page. */
  write(input: z.infer<typeof writeReportInput>): Promise<{ path: string }>
}
