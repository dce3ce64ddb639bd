import { describe, expect, it } from 'vitest'
import { commandToLaunch, type DraftAction, EMPTY_DRAFT, reduceDraft, startDraft } from './draft.ts'

const play = (...actions: DraftAction[]) => actions.reduce(reduceDraft, startDraft(EMPTY_DRAFT))
const type = (text: string, at = 0): DraftAction => ({ kind: 'type', text, at })

describe('the draft of a launch', () => {
  it('takes back typing in steps and form edits one by one', () => {
    const state = play(type('vllm', 10_000), type('vllm serve', 10_200), type('vllm serve m', 10_300), {
      kind: 'edit',
      change: { text: 'vllm serve m --seed 1' },
    })
    const undone = reduceDraft(state, { kind: 'undo' })
    expect(undone.draft.text).toBe('vllm serve m')
    expect(reduceDraft(undone, { kind: 'undo' }).draft.text).toBe('')
    expect(reduceDraft(undone, { kind: 'redo' }).draft.text).toBe('vllm serve m --seed 1')
  })

  it('moves a secret out of the text, and undo never brings it back', () => {
    const state = play(type('vllm serve m', 0), type('vllm serve m --api-key topsecretkey', 10_000), { kind: 'takeSecrets' })
    expect(state.draft.text).toBe('vllm serve m')
    expect(state.draft.secrets).toEqual([{ name: 'VLLM_API_KEY', value: 'topsecretkey' }])
    expect(commandToLaunch(state.draft)).toEqual({
      text: 'vllm serve m',
      secrets: [{ name: 'VLLM_API_KEY', value: 'topsecretkey' }],
    })
    for (let at = state; at.past.length > 0; at = reduceDraft(at, { kind: 'undo' })) {
      expect(at.draft.text).not.toContain('topsecretkey')
    }
  })

  it('keeps a value that was given when only its place is read again', () => {
    const given = play(type('HF_TOKEN=hf_abcdefgh vllm serve m'), { kind: 'takeSecrets' })
    const again = [type('HF_TOKEN=<redacted> vllm serve m', 9000), { kind: 'takeSecrets' } as const].reduce(reduceDraft, given)
    expect(again.draft.secrets).toEqual([{ name: 'HF_TOKEN', value: 'hf_abcdefgh' }])
  })

  it('opens a saved launch with nothing left of the one before', () => {
    const state = play(
      { kind: 'edit', change: { environment: '/a/vllm' } },
      { kind: 'open', draft: { text: 'vllm serve n', secrets: [] } },
    )
    expect(state.draft.environment).toBeUndefined()
    expect(state.draft.text).toBe('vllm serve n')
  })
})
