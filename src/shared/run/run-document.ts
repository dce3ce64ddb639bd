import { isoTime } from '../format/index.ts'
import type { RunDocument } from '../model/run.ts'
import { cellRows, lean, prefillRows } from './grid.ts'
import type { RunParts } from './run-parts.ts'

/** The run as `speedgrid show --json` prints it, made from what its drivers said. Pure: the same parts give the same document. */
export function projectRun(parts: RunParts): RunDocument {
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
    prefill: prefillRows(parts),
    cells: cellRows(parts),
    events: parts.events.map((event) => ({ at: isoTime(event.timeMs), level: event.level, text: event.text })),
    timing: timingOf(parts),
    tool: lastEpoch === undefined ? undefined : { name: 'speedgrid', version: lastEpoch.driverVersion },
  }
  return lean(document)
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
