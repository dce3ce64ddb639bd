import { readCommand, secretSpans } from '../../../../shared/command/index.ts'

type PaintKind = 'plain' | 'variable' | 'program' | 'model' | 'flag' | 'secret' | 'stray'
interface PaintedPart {
  start: number
  text: string
  kind: PaintKind
}

/** The whole text in coloured parts; secrets as dots of the same length, so that the caret stays true. */
export function paintCommand(text: string): PaintedPart[] {
  const { variables, program, model, flags, stray } = readCommand(text)
  const secrets = secretSpans(text)
  const spans: { start: number; end: number; kind: PaintKind }[] = [
    ...variables.map(({ name, start }) => ({ start, end: start + name.length, kind: 'variable' as const })),
    ...(program === undefined ? [] : [{ start: program.start, end: program.end, kind: 'program' as const }]),
    ...(model === undefined ? [] : [{ start: model.start, end: model.end, kind: 'model' as const }]),
    ...flags.map((use) => ({
      start: use.start,
      end: use.written.includes('=') ? Math.max(use.start, use.valueStart - 1) : use.start + use.written.length,
      kind: 'flag' as const,
    })),
    ...stray.map(({ start, end }) => ({ start, end, kind: 'stray' as const })),
  ]
  const kept = spans.filter((span) => !secrets.some((secret) => secret.start < span.end && span.start < secret.end))
  const all = [...kept, ...secrets.map((span) => ({ ...span, kind: 'secret' as const }))].sort((a, b) => a.start - b.start)
  const parts: PaintedPart[] = []
  let at = 0
  for (const { start, end, kind } of all) {
    if (start < at) continue
    if (start > at) parts.push({ start: at, text: text.slice(at, start), kind: 'plain' })
    const source = text.slice(start, end)
    parts.push({ start, text: kind === 'secret' ? source.replaceAll(/[^\n]/g, '•') : source, kind })
    at = end
  }
  if (at < text.length) parts.push({ start: at, text: text.slice(at), kind: 'plain' })
  return parts
}
