import { harmless } from './harmless.ts'

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Safe as text and inside a quoted attribute. */
export function htmlText(text: string): string {
  return harmless(text).replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? mark)
}
