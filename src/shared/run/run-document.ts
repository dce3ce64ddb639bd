import { isoTime } from '../format/index.ts'
import type { Plan } from '../model/plan.ts'
import type { CellRow, RunDocument } from '../model/run.ts'
import type { PlannedCell } from '../model/spool.ts'
import { resolveContexts } from '../planning/index.ts'
import { projectCell } from './cell-row.ts'
import { projectPrefill } from './prefill-rows.ts'
import type { RunParts } from './run-parts.ts'

/** The run as cli.md shows it, made from what its drivers said. Pure: the same parts give the same document. */
export function projectRun(parts: RunParts): RunDocument {
  const { contexts, prefillContexts } = contextsOf(parts)
  const lastEpoch = parts.epochs.at(-1)
  const document: RunDocument = {
    schema: 'speedgrid.run/1',
    id: parts.id,
    name: parts.name,
    tags: parts.tags,
    note: parts.note,
    startedAt: parts.startedAt,
    finishedAt: parts.finishedAt,
    state: parts.state,
    reason: parts.reason,
    demo: parts.demo,
    host: parts.host,
    hardware: parts.hardware,
    engine: parts.engine,
    launchCommand: parts.launchCommand,
    startedArgv: parts.startedArgv,
    plan: parts.plan,
    promptText: parts.promptText,
    path: {
      driver: parts.place,
      roundTripMs: parts.path?.roundTripMs,
      jitterMs: parts.path?.jitterMs,
      nodeVersion: lastEpoch?.nodeVersion,
    },
    requestTemplate: parts.requestTemplate,
    prompts: promptsOf(parts),
    prefill: projectPrefill({
      planned: prefillContexts,
      results: parts.prefills,
      state: parts.state,
      runReason: parts.reason,
    }),
    cells: cellsOf(parts, contexts),
    events: parts.events.map((event) => ({ at: isoTime(event.timeMs), level: event.level, text: event.text })),
    timing: timingOf(parts),
    tool: lastEpoch === undefined ? undefined : { name: 'speedgrid', version: lastEpoch.driverVersion },
  }
  return withoutUndefined(document)
}

/** As the driver resolved them; before it has, as far as the plan itself says. */
export function contextsOf(parts: {
  plan: Plan
  planned: readonly { contexts: number[]; prefillContexts: number[] }[]
  engine?: { maxModelLen?: number }
}): { contexts: number[]; prefillContexts: number[] } {
  const planned = parts.planned.at(-1)
  if (planned !== undefined) return planned
  try {
    return resolveContexts(parts.plan, parts.engine?.maxModelLen)
  } catch {
    const numbers = (list: (number | 'max')[]) => list.filter((context) => context !== 'max')
    return { contexts: numbers(parts.plan.contexts), prefillContexts: numbers(parts.plan.prefillContexts) }
  }
}

function cellsOf(parts: RunParts, contexts: number[]): CellRow[] {
  const planned = Map.groupBy(mergePlanned(parts), keyOf)
  const outcomes = Map.groupBy(parts.outcomes, keyOf)
  return contexts.flatMap((contextTokens) =>
    parts.plan.concurrency.map((concurrency) => {
      const key = keyOf({ contextTokens, concurrency })
      return projectCell({
        contextTokens,
        concurrency,
        outcomes: outcomes.get(key) ?? [],
        planned: planned.get(key) ?? [],
        repeats: parts.plan.repeats,
        state: parts.state,
        runReason: parts.reason,
        speculative: parts.engine?.speculative === true,
      })
    }),
  )
}

function keyOf(cell: { contextTokens: number; concurrency: number }): string {
  return `${String(cell.contextTokens)}/${String(cell.concurrency)}`
}

/** A resumed driver plans anew and calls what is finished `done`: the earlier verdict says more. */
export function mergePlanned(parts: { planned: { cells: PlannedCell[] }[] }): PlannedCell[] {
  const byKey = new Map<string, PlannedCell>()
  for (const cell of parts.planned.flatMap((line) => line.cells)) {
    const key = `${String(cell.contextTokens)}/${String(cell.concurrency)}/${String(cell.repeat)}`
    if (cell.verdict !== 'done' || !byKey.has(key)) byKey.set(key, cell)
  }
  return [...byKey.values()]
}

function promptsOf(parts: RunParts): RunDocument['prompts'] {
  const byContext = new Map<number, RunDocument['prompts'][number]>()
  for (const { contextTokens, countedTokens, method, sha256 } of parts.prompts) {
    byContext.set(contextTokens, { contextTokens, countedTokens, method, sha256 })
  }
  return [...byContext.values()]
}

/** Time that drivers ran, and how much of it went into windows and prefills, whatever their outcome. */
function timingOf(parts: RunParts): RunDocument['timing'] {
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
  return {
    wallSeconds: sum(parts.epochs.map((epoch) => epoch.seconds)),
    windowSeconds: sum(
      parts.outcomes.map((outcome) => {
        return outcome.phaseSeconds.window ?? outcome.figures.windowSeconds ?? outcome.discarded?.windowSeconds ?? 0
      }),
    ),
    prefillSeconds: sum(parts.prefills.map((prefill) => prefill.seconds)),
  }
}

function withoutUndefined<Type>(value: Type): Type {
  return JSON.parse(JSON.stringify(value)) as Type
}
