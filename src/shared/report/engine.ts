import type { RunDocument } from '../model/run.ts'
import { contextLabel, countText, shortSecondsText } from '../format/index.ts'
import type { Pair } from './types.ts'

/** The model's own name without its owner: "Qwen/Qwen3.5-2B" → "Qwen3.5-2B", also for a local folder or a cached snapshot. */
export function modelName(run: RunDocument): string {
  const full = run.engine?.model ?? run.engine?.servedModel ?? run.plan.model
  if (full === undefined) return 'Unknown model'
  const cached = /(?:^|\/)models--([^/]{1,300})\/snapshots/.exec(full)?.[1]?.split('--').at(-1)
  const last = full
    .split('/')
    .filter((part) => part !== '')
    .at(-1)
  return cached ?? last ?? full
}

/** "vllm · 0.26.1 · BF16", without what is not known. */
export function engineLine(run: RunDocument): string {
  const { name, version, quantization } = run.engine ?? {}
  return [name, version, quantization].filter((part) => part !== undefined).join(' · ')
}

/** "6 contexts (8K–251K) × 8 concurrency levels (1–128) · prefill at 8K, 16K" */
export function gridLine(contexts: readonly number[], levels: readonly number[], prefills: readonly number[]): string {
  const grid = `${counted(contexts, 'context', contextLabel)} × ${counted(levels, 'concurrency level', (level) => countText(level))}`
  return prefills.length === 0 ? grid : `${grid} · prefill at ${prefills.map(contextLabel).join(', ')}`
}

function counted(values: readonly number[], noun: string, label: (value: number) => string): string {
  const first = values[0]
  const last = values.at(-1)
  const range =
    first === undefined || last === undefined ? '' : ` (${first === last ? label(first) : `${label(first)}–${label(last)}`})`
  return `${String(values.length)} ${noun}${values.length === 1 ? '' : 's'}${range}`
}

export function engineRows(run: RunDocument): Pair[] {
  const engine = run.engine
  const rows: [string, string | undefined][] = [
    ['Engine', engine?.name],
    ['Version', engine?.version],
    ['Quantization', engine?.quantization],
    ['Backend', engine?.backend],
    ['Repository', engine?.repository],
    ['Build', engine?.build],
    ['Commit', engine?.commit],
  ]
  return rows.flatMap(([label, text]) => (text === undefined || text === '' ? [] : [{ label, text }]))
}

export function runRows(run: RunDocument): Pair[] {
  const { plan, engine, tool } = run
  const rows: [string, string | undefined][] = [
    ['Served model', engine?.servedModel ?? plan.model],
    ['Revision', engine?.modelRevision],
    ['Benchmark tool', tool === undefined ? 'speedgrid' : `${tool.name} v${tool.version}`],
    [
      'Decode test',
      plan.targetPrecisionPercent === undefined ? 'Fixed duration' : `Until ±${String(plan.targetPrecisionPercent)} % is reached`,
    ],
    ['Prefill mode', prefillMode(run)],
    ['Time per measurement', timeText(run)],
    ['Max output', `${countText(plan.maxOutputTokens)} tokens`],
  ]
  return rows.flatMap(([label, text]) => (text === undefined ? [] : [{ label, text }]))
}

function timeText({ plan }: RunDocument): string {
  if (plan.targetPrecisionPercent === undefined) return shortSecondsText(plan.seconds)
  const least = plan.minSeconds === undefined ? '' : `at least ${shortSecondsText(plan.minSeconds)}, `
  return `${least}at most ${shortSecondsText(plan.maxSeconds ?? plan.seconds)}`
}

function prefillMode(run: RunDocument): string | undefined {
  if (run.prefill.length === 0) return undefined
  return run.prefill.every((row) => row.source === 'standalone')
    ? 'Measured with separate cold requests'
    : 'Measured during decode warm-up'
}
