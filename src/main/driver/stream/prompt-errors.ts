import { SpeedgridError } from '../../../shared/model/error.ts'

export function ownTextTooShort(contextTokens: number, hasTokens: number): SpeedgridError {
  return new SpeedgridError('plan', `the prompt texts given are too short for a context of ${contextTokens} tokens`, {
    evidence: [`all of them together are ${hasTokens} tokens with the task`],
    nextStep: 'Give longer texts, or leave that context out.',
  })
}

export function contextTooShort(contextTokens: number, least: number): SpeedgridError {
  return new SpeedgridError('plan', `a context of ${contextTokens} tokens is too short for any task`, {
    evidence: [`the shortest prompt of this model is ${least} tokens long, chat template included`],
    nextStep: `Use a context of 0 or of at least ${least} tokens.`,
  })
}
