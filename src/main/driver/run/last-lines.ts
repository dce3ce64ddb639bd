import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

const LOG_LINES = 40
const LOG_BYTES = 64 * 1024

/** The last lines of a text file, `\r` bars reduced to their last state; empty where it can't be read. */
export function lastLines(path: string, count = LOG_LINES): string[] {
  let descriptor: number
  try {
    descriptor = openSync(path, 'r')
  } catch {
    return []
  }
  try {
    const { size } = fstatSync(descriptor)
    const data = Buffer.alloc(Math.min(size, LOG_BYTES))
    const read = readSync(descriptor, data, 0, data.length, size - data.length)
    const lines = data.subarray(0, read).toString().split('\n')
    // The first one is cut unless the file began there.
    if (size > data.length) lines.shift()
    return lines
      .map(
        (line) =>
          line
            .replace(/(?<!\r)\r+$/, '')
            .split('\r')
            .at(-1) ?? '',
      )
      .filter((line) => line.trim() !== '')
      .slice(-count)
      .map((line) => line.slice(0, 500))
  } catch {
    return []
  } finally {
    closeSync(descriptor)
  }
}
