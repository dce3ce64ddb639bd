import type { GlyphStatus } from './status-glyph.tsx'

/** One sign a status, told apart without colour, in any font. */
export const STATUS_GLYPHS: Record<GlyphStatus, string> = {
  valid: '✓',
  looped: '↻',
  over_capacity: '∅',
  error: '!',
  skipped: '→',
  cancelled: '×',
  pending: '·',
  running: '▶',
}

export const STATUS_MEANINGS: Record<GlyphStatus, string> = {
  valid: 'measured as planned.',
  looped: 'an answer repeated itself exactly, so the measurement was thrown away.',
  over_capacity: 'not started: so many requests of this length need more room than the KV cache has.',
  error: 'the measurement failed; the cause is in the details.',
  skipped: 'left out by the person or the plan.',
  cancelled: 'the run ended while or before this was measured.',
  pending: 'not measured yet.',
  running: 'being measured now.',
}
