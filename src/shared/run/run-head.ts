import { isoTime } from '../format/index.ts'
import type { EngineFacts } from '../model/engine-facts.ts'
import type { SpoolLine } from '../model/spool.ts'
import { canRunGo, isRunOver, type RunState } from '../model/states.ts'

/** How a run stands as a whole. */
export interface RunHead {
  state: RunState
  reason?: string
  startedAt?: string
  finishedAt?: string
  place?: 'host' | 'tunnel' | 'local'
  demo: boolean
  engine?: EngineFacts
  path?: { roundTripMs: number; jitterMs: number }
  requestTemplate?: Record<string, unknown>
}

export interface Doubt {
  level: 'warn' | 'error'
  text: string
}

/** `undone` says what of the run has no result yet, this line included; it is asked where somebody says that the run has finished. */
export function headAfter<Head extends RunHead>(
  head: Head,
  line: SpoolLine,
  undone: () => string | undefined,
): { head: Head; doubts: Doubt[] } {
  switch (line.kind) {
    case 'hello':
      return {
        head: { ...head, startedAt: head.startedAt ?? isoTime(line.t), place: placeOf(line.place) ?? head.place },
        doubts: [],
      }
    case 'facts': {
      const { facts, path = head.path, requestTemplate = head.requestTemplate } = line
      const engine = { ...head.engine, ...facts }
      return { head: { ...head, engine, demo: head.demo || engine.demo === true, path, requestTemplate }, doubts: [] }
    }
    case 'state':
    case 'end':
      return stateAfter(head, { state: line.state, reason: line.reason ?? line.error?.cause, timeMs: line.t }, undone)
    default:
      return { head, doubts: [] }
  }
}

/** Drivers obey the table of states; where one says something else it is believed, and the doubt is written down. */
export function stateAfter<Head extends RunHead>(
  head: Head,
  said: { state: RunState; reason: string | undefined; timeMs: number },
  undone: () => string | undefined,
): { head: Head; doubts: Doubt[] } {
  // Here, and nowhere else: a run is finished when nothing of it is missing, whatever its driver says.
  const lacks = said.state === 'finished' ? undone() : undefined
  const state = lacks === undefined ? said.state : 'interrupted'
  const doubts: Doubt[] = []
  if (lacks !== undefined) doubts.push({ level: 'error', text: `The driver said that it has finished, but ${lacks}` })
  if (head.state !== state && !canRunGo(head.state, state))
    doubts.push({ level: 'warn', text: `The run went from ${head.state} to ${state}, which is not expected` })
  const finishedAt = isRunOver(state) || state === 'interrupted' ? isoTime(said.timeMs) : undefined
  return { head: { ...head, state, reason: lacks ?? said.reason, finishedAt }, doubts }
}

/** Older versions stored whatever a driver said. */
export function placeOf(text: string | null | undefined): RunHead['place'] {
  return text === 'host' || text === 'tunnel' || text === 'local' ? text : undefined
}

export const modelOf = (engine: EngineFacts | undefined): string | undefined => engine?.model ?? engine?.servedModel
