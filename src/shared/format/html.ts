const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Safe as text and inside a quoted attribute. Control characters that HTML forbids are dropped. */
export function htmlText(text: string): string {
  return (
    text
      // oxlint-disable-next-line no-control-regex -- control characters are what is to be removed
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '')
      .replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? mark)
  )
}
