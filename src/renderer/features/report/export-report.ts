import type { Shell } from '../../state/shell.ts'
import type { EngineClient } from '../../state/trpc.ts'
import { SpeedgridError } from '../../../shared/model/error.ts'
import type { ReportFormat } from './formats.ts'

interface ExportInput {
  client: Pick<EngineClient, 'reports'>
  shell: Pick<Shell, 'abilities' | 'saveFile' | 'printReport' | 'download'>
  runId: string
  format: ReportFormat
  /** Of the HTML; the others are named after it. */
  fileName: string
}

type ExportOutcome = { kind: 'saved'; path: string } | { kind: 'downloaded'; fileName: string } | { kind: 'cancelled' }

/** In the window to a path that the person chooses, in the page as a download. */
export async function exportReport(input: ExportInput): Promise<ExportOutcome> {
  const { client, shell, runId, format, fileName } = input
  const abilities = await shell.abilities()
  if (!abilities.saveFile) {
    const file = await client.reports.render.query({ runId, format })
    const data = file.encoding === 'base64' ? bytesOf(file.data) : file.data
    shell.download({ fileName: file.fileName, mediaType: file.mediaType, data })
    return { kind: 'downloaded', fileName: file.fileName }
  }
  const path = await shell.saveFile({ suggestedName: fileName.replace(/\.html$/, `.${format}`), extensions: [format] })
  if (path === undefined) return { kind: 'cancelled' }
  const isPrinted = format === 'pdf' || format === 'png'
  if (isPrinted && abilities.print) {
    const { data } = await client.reports.render.query({ runId, format: 'html' })
    await printed(shell.printReport({ html: data, format, path }))
  } else await client.reports.write.mutate({ runId, format, path })
  return { kind: 'saved', path }
}

async function printed(printing: Promise<void>): Promise<void> {
  try {
    await printing
  } catch (error) {
    throw new SpeedgridError('internal', 'The report could not be printed.', {
      evidence: [error instanceof Error ? error.message : String(error)],
      nextStep: 'Export HTML and print it from a browser, or choose another folder.',
      from: error,
    })
  }
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
}
