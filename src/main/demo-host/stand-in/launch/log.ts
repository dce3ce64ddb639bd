/** Lines as vLLM prints them: the log to stdout, progress bars to stderr with carriage returns. */
export interface Log {
  line(source: 'api' | 'engine', file: string, message: string, level?: 'INFO' | 'WARNING' | 'ERROR'): void
  /** One frame of a bar; the last one ends the line. */
  bar(text: string, last: boolean): void
  plain(text: string): void
}

const two = (value: number) => String(value).padStart(2, '0')

export function createLog(pids: { api: number; engine: () => number | undefined }, now: () => Date = () => new Date()): Log {
  // Whoever reads the log may have gone (a closed SSH channel); the server goes on.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  return {
    line(source, file, message, level = 'INFO') {
      const date = now()
      const time = `${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
      const name = source === 'api' ? `APIServer pid=${pids.api}` : `EngineCore pid=${pids.engine() ?? pids.api + 1}`
      const text = message
        .split('\n')
        .map((part) => `(${name}) ${level} ${time} [${file}] ${part}`)
        .join('\n')
      process.stdout.write(`${text}\n`)
    },
    bar(text, last) {
      process.stderr.write(`\r${text}${last ? '\n' : ''}`)
    },
    plain(text) {
      process.stdout.write(`${text}\n`)
    },
  }
}
