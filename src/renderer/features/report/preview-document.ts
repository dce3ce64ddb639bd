/**
 * A report shown inside the page, from the very bytes of the export. The page's content security policy forbids inline styles and passes on to
 * every frame (blob: and data: too), so the report's own style sheet is put in place through the CSSOM, which the policy allows. Scripts never
 * run: the frame's sandbox forbids them, and so do the page's policy and the report's own.
 */

/** What the frame starts with: standards mode, as in the exported file. */
export const EMPTY_FRAME = '<!doctype html><html lang="en"><head><title>Report</title></head><body></body></html>'

interface ReportParts {
  styles: string[]
  /** The document without its style sheets; style attributes are named `data-style`. */
  html: string
}

/** The report escapes every text, so these patterns occur only as its own markup. */
export function splitReport(report: string): ReportParts {
  const styles: string[] = []
  const html = report
    .replace(/<style>([^<]*)<\/style>/g, (_all, sheet: string) => {
      styles.push(sheet)
      return ''
    })
    .replace(/<meta http-equiv="Content-Security-Policy"[^<>]*>/g, '')
    .replace(/ style="/g, ' data-style="')
  return { styles, html }
}

/** Puts the report into a frame of the same origin without scripts. */
export function showReport(frame: HTMLIFrameElement, report: string) {
  const page = frame.contentDocument
  const view = frame.contentWindow as (Window & typeof globalThis) | null
  if (page === null || view === null) return
  const { styles, html } = splitReport(report)
  const parsed = new DOMParser().parseFromString(html, 'text/html')
  const root = page.adoptNode(parsed.documentElement)
  page.replaceChild(root, page.documentElement)
  page.adoptedStyleSheets = styles.map((text) => {
    // A sheet belongs to the document whose window made it.
    const sheet = new view.CSSStyleSheet()
    sheet.replaceSync(text)
    return sheet
  })
  for (const element of root.querySelectorAll<HTMLElement>('[data-style]')) {
    element.style.cssText = element.dataset.style ?? ''
    delete element.dataset.style
  }
}
