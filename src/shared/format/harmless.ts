/* oxlint-disable no-control-regex, no-misleading-character-class -- control characters are what this is about */
/*
 * Text of foreign origin (hosts, servers, logs, files) on its way out: nothing in it may steer a terminal, turn the reading direction
 * around, hide characters or end a line that isn't one. Used where text leaves, so that what is stored stays what was said.
 */

/** C0 but tab and line feed, DEL, C1, line and paragraph separators, directions, what has no width and no place in a word, tags. */
const STEERING =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu
/** Joiners belong to emoji and to many scripts, not between Latin letters. */
const JOINER = /(?<![^\u0000-\u007f])[\u200c\u200d]|[\u200c\u200d](?![^\u0000-\u007f])/g
const COLOUR = /\u001b\[[0-9;:]{0,40}m/g
/** Conceals, and colours chosen so that text looks like its ground. */
const HIDING = /(?:^|[;:])0?8(?:[;:]|$)|[;:]2[;:]/

/** `\u001b` as its six characters. */
function escaped(char: string): string {
  return Array.from(char)
    .map((one) => {
      const code = one.codePointAt(0) ?? 0
      return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
    })
    .join('')
}

/** The text with such characters shown as `\u001b`. Colours (SGR) go, or stay with `colours`: our own, or those of a log. */
export function harmless(text: string, { colours = false } = {}): string {
  if (colours && text.includes('\u001b[')) {
    let out = ''
    let at = 0
    for (const match of text.matchAll(COLOUR)) {
      out += harmless(text.slice(at, match.index)) + (HIDING.test(match[0].slice(2, -1)) ? '' : match[0])
      at = match.index + match[0].length
    }
    return out + harmless(text.slice(at))
  }
  return text.replace(COLOUR, '').replaceAll('\r\n', '\n').replace(STEERING, escaped).replace(JOINER, escaped)
}

/** JSON that is harmless in a terminal and in a page: the same value, every such character as an escape. */
export function jsonText(value: unknown, indent?: number): string {
  const text: string | undefined = JSON.stringify(value, undefined, indent)
  return (text ?? 'null')
    .replace(/[\u007f-\uffff]/g, (char) => {
      STEERING.lastIndex = 0
      return STEERING.test(char) || char === '\u200c' || char === '\u200d' ? escaped(char) : char
    })
    .replace(/\udb40[\udc00-\udc7f]/g, (pair) => `\\udb40\\u${pair.charCodeAt(1).toString(16)}`)
}
