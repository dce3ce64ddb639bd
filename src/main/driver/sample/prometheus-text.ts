interface MetricLine {
  name: string
  labels: Record<string, string>
  value: number
}

/** The longest honest line, the cache's configuration as labels, has 2 KiB. */
const MAX_LINE_CHARS = 64 * 1024

const LABEL = /([A-Za-z_][A-Za-z0-9_]*)="((?:[^"\\]|\\.)*)"\s*,?\s*/y
/** Counters stay far below; sums of larger ones mean nothing. */
const MAX_VALUE = 1e15
const ESCAPES: Record<string, string> = { n: '\n', '"': '"', '\\': '\\' }

function readLabels(line: string, open: number): { labels: Record<string, string>; end: number } | undefined {
  const labels: Record<string, string> = Object.create(null) as Record<string, string>
  let at = open + 1
  for (;;) {
    if (line[at] === '}') return { labels, end: at + 1 }
    LABEL.lastIndex = at
    const match = LABEL.exec(line)
    if (!match) return undefined
    labels[match[1] as string] = (match[2] as string).replaceAll(/\\(.)/g, (whole, char: string) => ESCAPES[char] ?? whole)
    at = LABEL.lastIndex
  }
}

function readLine(line: string, nameEnd: number): MetricLine | undefined {
  const name = line.slice(0, nameEnd)
  const read = line[nameEnd] === '{' ? readLabels(line, nameEnd) : { labels: {}, end: nameEnd }
  if (!read) return undefined
  const [written, , more] = line.slice(read.end).trim().split(/\s+/)
  const value = Number(written)
  return written === undefined || written === '' || more !== undefined || !(Math.abs(value) <= MAX_VALUE)
    ? undefined
    : { name, labels: read.labels, value }
}

/**
 * The lines of a Prometheus text whose metric name is wanted, by exact name (`x_total` is not `x_total_created`). Whatever else stands
 * there (comments, histograms of hundreds of lines, an HTML page) is passed over; a value that is no number is left out.
 */
export function* metricLines(text: string, isWanted: (name: string) => boolean): Generator<MetricLine> {
  let from = 0
  while (from < text.length) {
    const newline = text.indexOf('\n', from)
    const end = newline < 0 ? text.length : newline
    if (text.charCodeAt(from) !== 35 && end - from <= MAX_LINE_CHARS) {
      const line = text.slice(from, end)
      const nameEnd = line.search(/[{\s]/)
      if (nameEnd > 0 && isWanted(line.slice(0, nameEnd))) {
        const read = readLine(line, nameEnd)
        if (read) yield read
      }
    }
    from = end + 1
  }
}
