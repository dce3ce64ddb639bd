import { Braces, FileCode, FileText, Image, Sheet, Printer, type LucideIcon } from 'lucide-react'
import type { REPORT_FORMATS } from '../../../shared/contract/reports.ts'

export type ReportFormat = (typeof REPORT_FORMATS)[number]

export interface FormatEntry {
  format: ReportFormat
  name: string
  text: string
  icon: LucideIcon
  /** Made by printing the HTML with a browser. */
  isPrinted: boolean
}

/** In the order people want them. */
export const FORMATS: readonly FormatEntry[] = [
  { format: 'html', name: 'HTML', text: 'One file that opens anywhere and loads nothing.', icon: FileCode, isPrinted: false },
  { format: 'pdf', name: 'PDF', text: 'The same, on pages.', icon: Printer, isPrinted: true },
  { format: 'png', name: 'PNG', text: 'The same, as one picture.', icon: Image, isPrinted: true },
  { format: 'md', name: 'Markdown', text: 'For issues, chats and wikis.', icon: FileText, isPrinted: false },
  { format: 'csv', name: 'CSV', text: 'Every measurement in a row of plain numbers.', icon: Sheet, isPrinted: false },
  {
    format: 'json',
    name: 'JSON',
    text: 'Everything that is known about the run; can be imported again.',
    icon: Braces,
    isPrinted: false,
  },
]
