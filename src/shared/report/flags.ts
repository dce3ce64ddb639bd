import type { Flag, FlagName } from '../model/cell.ts'
import type { RunDocument } from '../model/run.ts'
import { contextLabel, countText } from '../format/index.ts'
import type { ReportTable } from './types.ts'

/** What each doubt means (docs/measurement.md 5), for a reader who sees it for the first time. */
export const FLAG_MEANINGS: Record<FlagName, string> = {
  prompt_length: 'The prompts were more than 0.1 % longer or shorter than asked for.',
  not_filled: 'Not all requests were running at once when the window opened; the effective number is given.',
  foreign_load: 'The server was working for somebody else too.',
  cache_miss: 'Prompts that should have come from the cache of the server were computed again.',
  client_limited: 'The measuring program itself was held up so much that these figures may be off.',
  path_noise: 'The way to the server varies by more than a tenth of what was measured.',
  drifting: 'The rate rose or fell through the window.',
  few_samples: 'Fewer than three requests are behind this median.',
  stalled: 'The output stopped before the end of the window.',
  cold_unverified: 'It could not be seen whether the prompt was really new to the server.',
  server_disagrees: 'The token counter of the server differs by more than 2 %.',
  throttled: 'A GPU was held back (power, heat) in the window.',
  preempted: 'The server put requests aside for lack of KV cache.',
  estimated_tokens: 'The server gave no running count of tokens with its events.',
  loop_replaced: 'A request that repeated itself was replaced; less than 5 % of the tokens are affected.',
}

const FIGURE_NAMES: Record<string, string> = {
  totalTokensPerSecond: 'total tok/s',
  perRequestTokensPerSecond: 'per request tok/s',
  ttftMs: 'TTFT',
  timeBetweenTokensMs: 'time between tokens',
  tokensPerSecond: 'prefill tok/s',
}

/** One sentence for the reader: the meaning, then what was seen. */
export function doubtText(flag: Flag): string {
  const figures = flag.figures === undefined || flag.figures.length === 0 ? '' : ` [${flag.figures.map(figureName).join(', ')}]`
  return `${FLAG_MEANINGS[flag.flag]}${figures}${flag.detail === '' ? '' : ` (${flag.detail})`}`
}

export function flagLabel(flag: FlagName): string {
  const text = flag.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Every flag that occurs: its meaning and where. Cells with the same detail are named together. */
export function doubtsTable(run: RunDocument): ReportTable | undefined {
  const places = new Map<FlagName, Map<string, string[]>>()
  const note = (flag: Flag, place: string) => {
    const details = places.get(flag.flag) ?? new Map<string, string[]>()
    const figures = flag.figures?.map(figureName).join(', ') ?? ''
    const key = [figures, flag.detail].filter((text) => text !== '').join(': ')
    details.set(key, [...(details.get(key) ?? []), place])
    places.set(flag.flag, details)
  }
  for (const row of run.prefill) for (const flag of row.flags) note(flag, `prefill ${contextLabel(row.contextTokens)}`)
  for (const cell of run.cells)
    for (const flag of cell.flags) note(flag, `${contextLabel(cell.contextTokens)} × ${countText(cell.concurrency)}`)
  if (places.size === 0) return undefined
  const rows = [...places].flatMap(([flag, details]) =>
    [...details].map(([detail, where], index) => [
      index === 0 ? flagLabel(flag) : '',
      index === 0 ? FLAG_MEANINGS[flag] : '',
      where.join(', '),
      detail,
    ]),
  )
  return {
    title: 'Doubts',
    note: 'These measurements are valid, but something about them should be known before they are relied on.',
    columns: ['Flag', 'Meaning', 'Where (context × requests)', 'What was seen'].map((label) => ({ label, numeric: false })),
    rows,
  }
}

const figureName = (figure: string) => FIGURE_NAMES[figure] ?? figure
