import { StringDecoder } from 'node:string_decoder'

// CSI and OSC sequences; vLLM colours its prefixes even where it was asked not to.
// oxlint-disable-next-line no-control-regex
const ANSI = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\))/g

export function stripAnsi(text: string): string {
  return text.replaceAll(ANSI, '')
}

/** Bytes → lines. A bar rewrites its line with `\r`: each state counts as a line. Characters may be cut between chunks. */
export function createLineSplitter(onLine: (line: string) => void): { push: (chunk: Buffer) => void; end: () => void } {
  const decoder = new StringDecoder('utf8')
  let open = ''
  const emit = (text: string) => {
    const line = stripAnsi(text).trimEnd()
    if (line !== '') onLine(line)
  }
  return {
    push: (chunk) => {
      const parts = (open + decoder.write(chunk)).split(/[\r\n]/)
      open = parts.pop() ?? ''
      for (const part of parts) emit(part)
    },
    end: () => {
      emit(open + decoder.end())
      open = ''
    },
  }
}
