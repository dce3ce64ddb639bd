import type { CAPACITY_RULES } from '../model/plan.ts'

type CapacityRule = (typeof CAPACITY_RULES)[number]

/**
 * KV tokens a cell needs at its end (docs/measurement.md 3.1). `published`: C × (L + M), prompt sharing not counted.
 * `shared`: L + C × M. `none` asks as `published` does, but nothing is skipped for it.
 */
export function neededKvTokens(rule: CapacityRule, contextTokens: number, concurrency: number, maxOutputTokens: number): number {
  if (rule === 'shared') return contextTokens + concurrency * maxOutputTokens
  return concurrency * (contextTokens + maxOutputTokens)
}

/** True where the cell must be skipped. An unknown capacity skips nothing, and L = 0 is never skipped. */
export function isOverCapacity(
  rule: CapacityRule,
  cell: { contextTokens: number; concurrency: number },
  maxOutputTokens: number,
  kvTokens: number | undefined,
): boolean {
  if (rule === 'none' || kvTokens === undefined || cell.contextTokens === 0) return false
  return neededKvTokens(rule, cell.contextTokens, cell.concurrency, maxOutputTokens) > kvTokens
}
