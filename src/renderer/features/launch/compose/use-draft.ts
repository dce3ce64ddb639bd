import { type Dispatch, useEffect, useReducer } from 'react'
import { navigate } from '../../../app/use-route.ts'
import type { AppState } from '../../../state/app-state.ts'
import { useApp } from '../../../state/context.ts'
import {
  type DraftAction,
  type DraftState,
  EMPTY_DRAFT,
  keepDraft,
  keptDraft,
  reduceDraft,
  shownDraft,
  startDraft,
} from './draft.ts'

/** For the way to another screen and back; secrets with it, as nothing of this leaves the memory. */
const drafts = new WeakMap<AppState, DraftState>()

/** `command`: one that was asked for by the address (edit and try again, demo machine); else the last one written. */
export function useDraft(command: string | undefined, host: string): [DraftState, Dispatch<DraftAction>] {
  const app = useApp()
  const [state, dispatch] = useReducer(reduceDraft, command, (asked) => {
    const last = drafts.get(app) ?? startDraft(keptDraft())
    if (asked === undefined) return last
    const asking = reduceDraft(last, { kind: 'open', draft: { ...EMPTY_DRAFT, text: asked } })
    return reduceDraft(asking, { kind: 'takeSecrets' })
  })
  useEffect(() => {
    drafts.set(app, state)
    keepDraft(state.draft)
  }, [app, state])
  useEffect(() => {
    // Taken up: a reload must not put it over what is written from here on.
    if (command !== undefined) navigate({ screen: 'launch', host }, 'replace')
  }, [command, host])
  return [state, dispatch]
}

/** Whether what is written is that launch's command: then going back to it keeps its secrets and environment. */
export function isDraftOf(app: AppState, command: string): boolean {
  const state = drafts.get(app)
  return state !== undefined && shownDraft(state.draft) === command
}
