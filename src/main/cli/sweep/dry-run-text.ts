import { contextLabel, countText, durationText } from '../../../shared/format/index.ts'
import type { PlannedCell } from '../../../shared/model/spool.ts'
import type { DryRun } from '../../sweep/types.ts'

const PLACE_WORDS = { host: 'on the host', tunnel: 'through the tunnel', local: 'directly from this machine' } as const

/** Which cells run, which don't and why (with the numbers), how long, from where. */
export function dryRunText(dry: DryRun): string {
  const { facts, cells } = dry
  const by = (verdict: PlannedCell['verdict']) => cells.filter((cell) => cell.verdict === verdict)
  const over = by('over_capacity')
  const done = by('done')
  const lines = [
    [
      facts.model ?? facts.servedModel,
      `${facts.name}${facts.version ? ` ${facts.version}` : ''}`,
      facts.maxModelLen === undefined ? undefined : `max length ${countText(facts.maxModelLen)} tokens`,
      facts.kvTokens === undefined
        ? 'KV cache size unknown: no cell can be ruled out'
        : `KV cache ${countText(facts.kvTokens)} tokens${facts.kvTokensSource ? ` (${facts.kvTokensSource})` : ''}`,
    ]
      .filter((part) => part !== undefined)
      .join(' · '),
    `${cells.length} cells: ${by('run').length} runnable, ${over.length} over capacity${done.length > 0 ? `, ${done.length} done already` : ''}; about ${durationText(dry.estimateSeconds)}, load ${PLACE_WORDS[dry.place]}`,
    ...(dry.placeNote ? [dry.placeNote] : []),
    '',
    ...matrixLines(dry),
  ]
  if (over.length > 0) lines.push('', 'Over capacity:', ...over.map((cell) => `  ${cellName(cell)}: ${overReason(cell)}`))
  if (dry.prefillContexts.length > 0) lines.push('', `Prefill measured at ${dry.prefillContexts.map(contextLabel).join(', ')}`)
  lines.push('', 'Nothing was measured.')
  return lines.join('\n')
}

function overReason(cell: PlannedCell): string {
  const numbers =
    cell.neededTokens === undefined
      ? undefined
      : `needs ${countText(cell.neededTokens)} tokens${cell.kvTokens === undefined ? '' : `, the KV cache holds ${countText(cell.kvTokens)}`}`
  return numbers ?? cell.reason ?? 'over capacity'
}

const cellName = (cell: PlannedCell) =>
  `${contextLabel(cell.contextTokens)} × ${cell.concurrency}${cell.repeat > 1 ? ` (repeat ${cell.repeat})` : ''}`

function matrixLines(dry: DryRun): string[] {
  const levels = [...new Set(dry.cells.map((cell) => cell.concurrency))].sort((a, b) => a - b)
  const marks: Record<PlannedCell['verdict'], string> = { run: 'run', over_capacity: '⊘ over', done: 'done' }
  const width = 7
  const head = `${'ctx'.padStart(width)} ${levels.map((level) => String(level).padStart(width)).join(' ')}`
  const rows = dry.contexts.map((context) => {
    const cells = levels.map((level) => dry.cells.find((cell) => cell.contextTokens === context && cell.concurrency === level))
    return `${contextLabel(context).padStart(width)} ${cells.map((cell) => (cell ? marks[cell.verdict] : '').padStart(width)).join(' ')}`
  })
  return [head, ...rows]
}
