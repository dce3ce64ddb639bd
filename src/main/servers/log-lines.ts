import { createByteLines } from '../../shared/bytes/index.ts'

/** The longest line that tells anything, the resolved configuration, has some KiB. What comes behind is of no use, and patterns take longer for it. */
const MAX_LINE_BYTES = 16 * 1024

// CSI and OSC sequences; vLLM colours its prefixes even where it was asked not to.
// oxlint-disable-next-line no-control-regex
const ANSI = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\))/g

function stripAnsi(text: string): string {
  return text.replaceAll(ANSI, '')
}

/**
 * Bytes → lines, the one way that log lines come in: at most 16 KiB of each, before any pattern looks at it. A bar rewrites its line with
 * `\r`: each state counts as a line. Characters may be cut between chunks.
 */
export function createLineSplitter(onLine: (line: string) => void): { push: (chunk: Buffer) => void; end: () => void } {
  return createByteLines({
    maxBytes: MAX_LINE_BYTES,
    atReturns: true,
    onLine: (text, isCut) => {
      const line = stripAnsi(text).trimEnd()
      if (line !== '') onLine(isCut ? `${line}…` : line)
    },
  })
}
