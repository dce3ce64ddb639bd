import { harmless } from '../../../shared/format/index.ts'

// oxlint-disable-next-line no-control-regex -- our own colours
const ESCAPES = /\u001b\[[0-9;]*m/g
const PLAIN = /^[ -~]*$/
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
// Wide in every terminal: CJK, Hangul, kana, full-width forms, emoji.
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|^\p{Emoji_Presentation}/u

/** Columns a text takes, colours not counted. */
export function widthOf(text: string): number {
  // Most texts, and a table of a long history has hundreds of thousands of them.
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes.segment(text.replace(ESCAPES, ''))) width += WIDE.test(segment) ? 2 : 1
  return width
}

/** Plain text cut to at most `columns`, with … where something is missing. Nothing that steers a terminal stays in it. */
export function cut(text: string, columns: number): string {
  const clean = harmless(text).replace(/[\n\t]+/g, ' ')
  if (widthOf(clean) <= columns) return clean
  if (columns < 1) return ''
  let kept = ''
  let width = 0
  for (const { segment } of graphemes.segment(clean)) {
    const next = WIDE.test(segment) ? 2 : 1
    if (width + next > columns - 1) break
    kept += segment
    width += next
  }
  return `${kept}…`
}

export function padStart(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - widthOf(text))) + text
}

export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)))
}

/** Parts joined by ` · `, as many as fit, the first ones first; the last one that doesn't fit is dropped, not cut. */
export function joinFitting(parts: readonly (string | undefined)[], columns: number): string {
  let line = ''
  for (const part of parts) {
    if (!part) continue
    const next = line === '' ? cut(part, columns) : `${line} · ${part}`
    if (widthOf(next) <= columns) line = next
  }
  return line
}
