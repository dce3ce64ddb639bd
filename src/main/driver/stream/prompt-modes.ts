import { createHash } from 'node:crypto'
import type { PromptMode } from '../../../shared/model/plan.ts'
import type { PromptSpec } from './types.ts'
import { NOUNS } from './words.ts'

interface NonceParts {
  runId: string
  /** Counts the drivers of a run: a resumed run never hits its former self. */
  epoch: number
  contextTokens: number
  /** Whatever else must make a prompt cold or distinct: prefill sample, attempt, stream, request. */
  extra?: string
}

/** Ten common words that stand for 80 bits of hash: natural text, and nearly always the same number of tokens. */
export function promptNonce({ runId, epoch, contextTokens, extra = '' }: NonceParts): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([runId, epoch, contextTokens, extra]))
    .digest()
  return Array.from(hash.subarray(0, 10), (byte) => NOUNS[byte]).join(' ')
}

export interface RequestPlace {
  runId: string
  epoch: number
  contextTokens: number
  concurrency: number
  repeat: number
  attempt: number
  stream: number
  /** Number of the request within its stream. */
  ordinal: number
}

export interface ModePrompt {
  spec: PromptSpec
  /** Equal keys are the same prompt: build once, send often. */
  key: string
  /** Build this one first (shared by the whole context) and give it as `like`; absent for the base itself. */
  base?: { spec: PromptSpec; key: string }
}

/** Which prompt a request sends (docs/measurement.md 1, prompt modes). */
export function modePrompt(mode: PromptMode, place: RequestPlace): ModePrompt {
  const { contextTokens, runId, epoch, stream } = place
  const nonceOf = (extra?: string): string => promptNonce({ runId, epoch, contextTokens, extra })
  const base = { spec: { contextTokens, nonce: nonceOf(), task: 0, textVariant: 0 }, key: `${contextTokens}` }
  if (mode === 'shared' || (mode === 'shared-prefix' && stream === 0)) return base
  if (mode === 'shared-prefix') {
    return { spec: { contextTokens, nonce: base.spec.nonce, task: stream }, key: `${contextTokens}/task-${stream}`, base }
  }
  if (mode === 'distinct') {
    // A document of its own for each stream, counted as a whole: the streams' outputs and prefixes have nothing in common.
    const spec = { contextTokens, nonce: nonceOf(`stream ${stream}`), task: stream, textVariant: stream }
    return { spec, key: `${contextTokens}/stream-${stream}` }
  }
  const where = `${place.concurrency}/${place.repeat}/${place.attempt}/${stream}/${place.ordinal}`
  return { spec: { contextTokens, nonce: nonceOf(where), task: stream }, key: `${contextTokens}/${where}`, base }
}
