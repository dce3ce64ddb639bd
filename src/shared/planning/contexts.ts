import { SpeedgridError } from '../model/error.ts'
import type { Plan } from '../model/plan.ts'
import { thousands } from './thousands.ts'

/** Tokens left free by `max`: room for a chat template that grows by a few tokens (docs/published-method.md 2). */
const MAX_CONTEXT_MARGIN_TOKENS = 64
const K = 1024

export interface ResolvedContexts {
  contexts: number[]
  prefillContexts: number[]
}

/** `max` for a decode context: floor((max_model_len − M − 64) / 1024) K; 257,024 for 262,144 with M = 4,096. */
function maxDecodeContext(maxModelLen: number, maxOutputTokens: number): number {
  return Math.floor((maxModelLen - maxOutputTokens - MAX_CONTEXT_MARGIN_TOKENS) / K) * K
}

function needMaxModelLen(maxModelLen: number | undefined, what: string): number {
  if (maxModelLen !== undefined) return maxModelLen
  throw new SpeedgridError('plan', `The server doesn't say its max_model_len, so ${what} "max" can't be resolved.`, {
    evidence: ['no max_model_len in GET /v1/models'],
    nextStep: 'Give the context in tokens.',
  })
}

function resolveDecode(context: number | 'max', maxModelLen: number | undefined, maxOutput: number): number {
  if (context === 'max') {
    const limit = needMaxModelLen(maxModelLen, 'the context')
    const resolved = maxDecodeContext(limit, maxOutput)
    if (resolved > 0) return resolved
    throw new SpeedgridError(
      'plan',
      `No context fits: max output ${thousands(maxOutput)} leaves no room in ${thousands(limit)} tokens.`,
      {
        evidence: [
          `max_model_len ${thousands(limit)}`,
          `max output ${thousands(maxOutput)}`,
          `margin ${MAX_CONTEXT_MARGIN_TOKENS}`,
        ],
        nextStep: 'Lower --max-output.',
      },
    )
  }
  if (maxModelLen === undefined) return context
  // Context 0 still sends a short question and the chat template.
  const prompt = context === 0 ? MAX_CONTEXT_MARGIN_TOKENS : context
  const need = prompt + maxOutput
  if (need <= maxModelLen) return context
  const largest = Math.max(0, maxDecodeContext(maxModelLen, maxOutput))
  throw new SpeedgridError(
    'plan',
    `Context ${thousands(context)} can't fit: ${thousands(prompt)} + ${thousands(maxOutput)} output tokens is ${thousands(need)}, the server takes ${thousands(maxModelLen)}.`,
    {
      evidence: [
        `context ${thousands(context)}`,
        `max output ${thousands(maxOutput)}`,
        `max_model_len ${thousands(maxModelLen)}`,
        `too long by ${thousands(need - maxModelLen)}`,
      ],
      nextStep: `Use "max" (${thousands(largest)}), a shorter context or a smaller --max-output.`,
    },
  )
}

/** A prefill needs one output token: max_model_len − 1 at most, which is what a nominal "256K" of a 262,144 window means. */
function resolvePrefill(context: number | 'max', maxModelLen: number | undefined): number {
  if (context === 'max') return needMaxModelLen(maxModelLen, 'the prefill context') - 1
  if (maxModelLen === undefined || context < maxModelLen) return context
  if (context === maxModelLen) return maxModelLen - 1
  throw new SpeedgridError(
    'plan',
    `Prefill context ${thousands(context)} can't fit: the server takes ${thousands(maxModelLen)} tokens, one of them for the output.`,
    {
      evidence: [`prefill context ${thousands(context)}`, `max_model_len ${thousands(maxModelLen)}`],
      nextStep: `Use "max" (${thousands(maxModelLen - 1)}) or a shorter prefill context.`,
    },
  )
}

const distinct = (list: number[]) => [...new Set(list)]

/** Contexts in tokens, in the plan's order, `max` resolved. Throws SpeedgridError `plan` with the numbers where one can't fit. */
export function resolveContexts(
  plan: Pick<Plan, 'contexts' | 'prefillContexts' | 'maxOutputTokens'>,
  maxModelLen: number | undefined,
): ResolvedContexts {
  return {
    contexts: distinct(plan.contexts.map((context) => resolveDecode(context, maxModelLen, plan.maxOutputTokens))),
    prefillContexts: distinct(plan.prefillContexts.map((context) => resolvePrefill(context, maxModelLen))),
  }
}
