import type { SpoolLine } from '../../shared/model/spool.ts'

/** The same line with its times by our clock. What a driver measures is by a clock of its own that no host's time touches. */
export function inOurTime<Line extends SpoolLine>(line: Line, aheadMs: number): Line
export function inOurTime(line: SpoolLine, aheadMs: number): SpoolLine {
  if (aheadMs === 0) return line
  const iso = (text: string) => new Date(Date.parse(text) - aheadMs).toISOString()
  const t = line.t - aheadMs
  if (line.kind === 'attempt') {
    const { record } = line
    return { ...line, t, record: { ...record, startedAt: iso(record.startedAt), finishedAt: iso(record.finishedAt) } }
  }
  if (line.kind === 'prefill') {
    const { result } = line
    return { ...line, t, result: { ...result, startedAt: iso(result.startedAt), finishedAt: iso(result.finishedAt) } }
  }
  return { ...line, t }
}
