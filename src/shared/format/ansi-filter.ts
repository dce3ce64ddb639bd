/* oxlint-disable no-control-regex -- control characters are what this is about */
/**
 * What may reach a terminal of ours: text, line ends, tabs and colours (SGR). Everything else a log can carry is dropped: cursor moves,
 * titles, links, clipboard writes, and the characters that turn the reading direction around.
 * Pieces may be cut anywhere; what is not complete waits for the next one.
 */
export function createAnsiFilter(): (piece: string) => string {
  let waiting = ''
  return (piece) => {
    const text = waiting + piece
    const open = OPEN.exec(text)
    // A sequence that never ends is no sequence.
    const cutAt = open !== null && text.length - open.index <= LONGEST ? open.index : text.length
    waiting = text.slice(cutAt)
    return text.slice(0, cutAt).replace(SEQUENCE, keepColours).replace(CONTROL, '')
  }
}

const LONGEST = 4096
const ESC = '\\u001b'
const ENDED_STRING = `(?:[\\]PX^_][^\\u0007\\u001b\\u009c]*(?:\\u0007|\\u009c|${ESC}\\\\))`
const CSI = '(?:\\[[0-?]*[ -/]*[@-~])'
/** Strings (OSC, DCS …), CSI, then two-character escapes. */
const SEQUENCE = new RegExp(`${ESC}(?:${ENDED_STRING}|${CSI}|[ -/]*[0-Z\\\\\`-~])|\\u009b[0-?]*[ -/]*[@-~]`, 'g')
/** The beginning of one at the end of a piece. */
const OPEN = new RegExp(
  `(?:${ESC}(?:[\\]PX^_][^\\u0007\\u001b\\u009c]*(?:${ESC})?|\\[[0-?]*[ -/]*|[ -/]*)?|\\u009b[0-?]*[ -/]*)$`,
)
const CONTROL =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\u001b(?!\[[\d;]*m)/g

/** Colours of the palette only: 24-bit ones could paint text in its own background, and need inline styles. */
function keepColours(sequence: string): string {
  const [, list] = /^\u001b\[([\d;]*)m$/.exec(sequence) ?? []
  if (list === undefined) return ''
  const codes = list === '' ? ['0'] : list.split(';')
  const kept: string[] = []
  for (let index = 0; index < codes.length; index += 1) {
    const code = Number(codes[index])
    if (code === 38 || code === 48) {
      if (codes[index + 1] === '5') {
        kept.push(`${String(code)};5;${String(Math.min(255, Number(codes[index + 2] ?? 0)))}`)
        index += 2
      } else index += 4
    } else if (ALLOWED.has(code)) kept.push(String(code))
  }
  return kept.length === 0 ? '' : `\u001b[${kept.join(';')}m`
}

/** Concealed text (8) and blinking (5, 6) are left out. */
const ALLOWED = new Set([0, 1, 2, 3, 4, 7, 9, 22, 23, 24, 27, 29, 39, 49])
for (let code = 0; code < 8; code += 1) for (const base of [30, 40, 90, 100]) ALLOWED.add(base + code)
