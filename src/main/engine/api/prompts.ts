import { randomUUID } from 'node:crypto'
import type { PromptsApi, PromptView } from '../../../shared/contract/prompts.ts'
import { SpeedgridError } from '../../../shared/model/error.ts'
import type { Prompter } from '../../ssh/types.ts'
import { createWatchedList } from './feed/list.ts'

/** A question that no page shows is given up after this long: a reload takes less. */
const UNSEEN_LIMIT_MS = 60_000

export interface Prompts {
  /** What the services ask through. */
  prompter: Prompter
  api: PromptsApi
  /** Every open question is answered with nothing. */
  dispose: () => void
}

type Answer = string | boolean | undefined

const reasonOf = (signal: AbortSignal | undefined): string =>
  signal?.reason instanceof Error ? signal.reason.message : 'What asked is gone.'

/** Questions to the person, shown by whichever page is open. What is typed is handed on and kept nowhere here. */
export function createPrompts({ unseenLimitMs = UNSEEN_LIMIT_MS }: { unseenLimitMs?: number } = {}): Prompts {
  const questions = createWatchedList<PromptView>((prompt) => prompt.id)
  const answers = new Map<string, (answer: Answer) => void>()
  let unseen: NodeJS.Timeout | undefined
  let disposed = false

  function settle(id: string, answer: Answer, why?: string): void {
    const give = answers.get(id)
    answers.delete(id)
    questions.remove(id, why)
    give?.(answer)
  }
  function giveUp(): void {
    for (const id of Array.from(answers.keys())) settle(id, undefined)
  }
  /** The clock runs while there are questions and nobody looks. */
  function watchSeen(): void {
    clearTimeout(unseen)
    if (answers.size > 0 && questions.watchers === 0) unseen = setTimeout(giveUp, unseenLimitMs)
  }

  function ask(prompt: PromptView, signal: AbortSignal | undefined): Promise<Answer> {
    if (disposed || signal?.aborted === true) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const withdraw = () => settle(prompt.id, undefined, reasonOf(signal))
      answers.set(prompt.id, (answer) => {
        signal?.removeEventListener('abort', withdraw)
        resolve(answer)
      })
      signal?.addEventListener('abort', withdraw, { once: true })
      questions.upsert(prompt)
      watchSeen()
    })
  }

  async function* watch(signal: AbortSignal) {
    const left = () => setImmediate(watchSeen)
    signal.addEventListener('abort', left, { once: true })
    try {
      const feed = questions.feed(signal)
      for await (const message of feed) {
        watchSeen()
        yield message
      }
    } finally {
      signal.removeEventListener('abort', left)
      watchSeen()
    }
  }

  return {
    prompter: {
      secret: async (text, options) => {
        const answer = await ask({ id: randomUUID(), kind: 'secret', text, echo: options?.echo ?? false }, options?.signal)
        return typeof answer === 'string' ? answer : undefined
      },
      trustHostKey: async (question, options) => {
        const answer = await ask({ id: randomUUID(), kind: 'host_key', ...question }, options?.signal)
        return typeof answer === 'boolean' ? answer : undefined
      },
    },
    api: {
      watch,
      answer: async (input) => {
        const asked = questions.get(input.id)
        if (asked === undefined) {
          throw new SpeedgridError('not_found', 'That question is not open any more.', {
            nextStep: 'It was answered elsewhere, or given up; what asked it can be tried again.',
          })
        }
        if (asked.kind !== input.kind) throw new SpeedgridError('usage', 'The answer does not fit the question.')
        settle(input.id, input.kind === 'secret' ? input.value : input.trust)
        return
      },
    },
    dispose() {
      disposed = true
      giveUp()
      clearTimeout(unseen)
    },
  }
}
