import type { RunDocument } from '../model/run.ts'
import { dayText } from '../format/index.ts'
import { modelName } from './engine.ts'
import type { ExportFormat } from './types.ts'

/** A file name that says what is inside, safe on every file system: "speedgrid-Qwen3.5-2B-lab1-2026-10-07.html". */
export function reportFileName(run: RunDocument, format: ExportFormat): string {
  const date = run.startedAt === undefined ? undefined : dayText(run.startedAt)
  const parts = ['speedgrid', modelName(run), run.host?.name, run.demo && run.host?.name !== 'demo' ? 'demo' : undefined, date]
  const words = parts.flatMap((part) => (part === undefined ? [] : [safe(part)])).filter((part) => part !== '')
  return `${words.join('-')}.${format}`
}

function safe(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, 80)
}
