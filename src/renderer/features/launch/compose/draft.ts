import { takeSecrets, withRedacted } from '../../../../shared/command/index.ts'
import { redactCommand, shownCommand } from '../../../../shared/secrets/index.ts'

/** Held in memory only; empty where it has to be given again. */
export interface DraftSecret {
  name: string
  value: string
}

/** What the person is writing. Secrets stand apart and live in memory only. */
export interface Draft {
  text: string
  secrets: DraftSecret[]
  /** Path of the `vllm` executable; the first one found on the host where absent. */
  environment?: string | undefined
  /** The saved launch it came from. */
  saved?: { id: string; name: string; command: string; environment?: string | undefined } | undefined
}

export interface DraftState {
  draft: Draft
  past: Draft[]
  future: Draft[]
  /** When the last typing happened (ms): what follows closely is one step of undo. */
  typedAt: number
}

export type DraftAction =
  | { kind: 'type'; text: string; at: number }
  | { kind: 'edit'; change: Partial<Draft> }
  | { kind: 'takeSecrets' }
  | { kind: 'open'; draft: Draft }
  | { kind: 'saved'; saved: Draft['saved'] }
  | { kind: 'undo' }
  | { kind: 'redo' }

const STEPS = 200
const ONE_STEP_MS = 700

export const EMPTY_DRAFT: Draft = { text: '', secrets: [] }

export const startDraft = (draft: Draft): DraftState => ({ draft, past: [], future: [], typedAt: 0 })

/** The textarea's own undo can't know what the form changed, so both share this one. */
export function reduceDraft(state: DraftState, action: DraftAction): DraftState {
  switch (action.kind) {
    case 'type': {
      const joins = action.at - state.typedAt < ONE_STEP_MS && state.past.length > 0
      const next = step(state, { text: action.text }, joins)
      return { ...next, typedAt: action.at }
    }
    case 'edit':
      return step(state, action.change, false)
    case 'takeSecrets': {
      const { text, secrets } = takeSecrets(state.draft.text)
      if (secrets.length === 0 && text === state.draft.text) return state
      // Not a step of its own: undo must not bring a secret back into the text.
      return {
        ...state,
        draft: { ...state.draft, text, secrets: joined(state.draft.secrets, secrets) },
        past: state.past.map(withoutSecrets),
        typedAt: 0,
      }
    }
    case 'open':
      return { ...step(state, { environment: undefined, saved: undefined, ...action.draft }, false), typedAt: 0 }
    case 'saved':
      return { ...state, draft: { ...state.draft, saved: action.saved } }
    case 'undo': {
      const before = state.past.at(-1)
      if (before === undefined) return state
      return { draft: before, past: state.past.slice(0, -1), future: [state.draft, ...state.future], typedAt: 0 }
    }
    case 'redo': {
      const [next, ...rest] = state.future
      if (next === undefined) return state
      return { draft: next, past: [...state.past, state.draft], future: rest, typedAt: 0 }
    }
  }
}

function step(state: DraftState, change: Partial<Draft>, joins: boolean): DraftState {
  return {
    draft: { ...state.draft, ...change },
    past: joins ? state.past : [...state.past, state.draft].slice(-STEPS),
    future: [],
    typedAt: 0,
  }
}

function joined(before: readonly DraftSecret[], next: readonly DraftSecret[]): DraftSecret[] {
  const all = new Map(before.map(({ name, value }) => [name, value]))
  for (const { name, value } of next) if (value !== '' || !all.has(name)) all.set(name, value)
  return [...all].map(([name, value]) => ({ name, value }))
}

function withoutSecrets(draft: Draft): Draft {
  const { text, secrets } = takeSecrets(draft.text)
  return { ...draft, text, secrets: joined(draft.secrets, secrets) }
}

export const givenSecrets = (secrets: readonly DraftSecret[]): DraftSecret[] => secrets.filter(({ value }) => value !== '')

/** The command for the engine. */
export const commandToLaunch = ({ text, secrets }: Draft): { text: string; secrets: DraftSecret[] } => ({
  text: text.trim(),
  secrets: givenSecrets(secrets),
})

/** For looking at, and for saving: names of secrets, and no value leaves this window. */
export const commandToRead = ({ text, secrets }: Draft): { text: string; secrets: { name: string }[] } => ({
  text: redactCommand(text).trim(),
  secrets: secrets.map(({ name }) => ({ name })),
})

/** As the engine shows a launch of it. */
export const shownDraft = (draft: Draft): string => {
  const { text, secrets } = commandToLaunch(draft)
  return shownCommand(withRedacted(text, secrets))
}

const KEY = 'speedgrid.launch.draft'

/** For the way to another screen and back. Values of secrets are not kept. */
export function keepDraft({ text, secrets, environment, saved }: Draft) {
  const kept = { text: redactCommand(text), secrets: secrets.map(({ name }) => ({ name, value: '' })), environment, saved }
  sessionStorage.setItem(KEY, JSON.stringify(kept))
}

export function keptDraft(): Draft {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? '') as Draft
    return typeof kept.text === 'string' && Array.isArray(kept.secrets) ? kept : EMPTY_DRAFT
  } catch {
    return EMPTY_DRAFT
  }
}
