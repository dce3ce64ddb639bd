// @vitest-environment jsdom
import '../../testing/dom.ts'
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { PromptsApi, PromptsChange, PromptView } from '../../../shared/contract/prompts.ts'
import { reducePrompts } from '../../state/lists.ts'
import { createFakeFeed } from '../../testing/fake/feed.ts'
import { renderApp, type RenderOptions } from '../../testing/render-app.tsx'

const SLOW = { timeout: 10_000 }
type Answer = Parameters<PromptsApi['answer']>[0]

/** The app with prompts in the test's own hand. */
function setUp(options: RenderOptions = {}) {
  const feed = createFakeFeed<PromptView[], PromptsChange>([], reducePrompts)
  const answers: Answer[] = []
  const shown = renderApp(options)
  shown.engine.api.prompts.watch = (signal) => feed.watch(signal)
  shown.engine.api.prompts.answer = (answer) => {
    answers.push(answer)
    feed.push({ remove: answer.id })
    return Promise.resolve()
  }
  const ask = (prompt: PromptView) => {
    feed.push({ upsert: prompt })
  }
  const taken = (id: string, why?: string) => {
    feed.push({ remove: id, ...(why === undefined ? {} : { why }) })
  }
  return { ...shown, ask, taken, answers }
}
const secret = (id: string, more: Partial<Extract<PromptView, { kind: 'secret' }>> = {}): PromptView => ({
  id,
  kind: 'secret',
  text: 'Password for ann@lab: ',
  echo: false,
  ...more,
})

describe('questions of the engine', () => {
  it('come one after the other; a password is hidden, sent once and gone', async () => {
    const { ask, answers } = setUp()
    ask(secret('1'))
    ask(secret('2', { text: '<b>Code</b>', echo: true }))
    const field = await screen.findByLabelText<HTMLInputElement>(/Password for ann@lab/, {}, SLOW)
    expect(field.type).toBe('password')
    await waitFor(() => {
      expect(document.activeElement).toBe(field)
    })
    fireEvent.change(field, { target: { value: 'hunter2' } })
    fireEvent.click(screen.getByRole('button', { name: 'Send' }))
    const code = await screen.findByLabelText<HTMLInputElement>('<b>Code</b>', {}, SLOW)
    expect([code.type, code.value]).toEqual(['text', ''])
    expect(document.body.innerHTML).not.toContain('hunter2')
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    await waitFor(() => {
      expect(answers).toEqual([
        { kind: 'secret', id: '1', value: 'hunter2' },
        { kind: 'secret', id: '2' },
      ])
    })
  })

  it('an unknown host key: Esc trusts nothing', async () => {
    const { ask, answers } = setUp()
    ask({ id: 'k', kind: 'host_key', host: 'lab', keyType: 'ssh-ed25519', fingerprint: 'SHA256:abcdefgh' })
    await screen.findByText('SHA256:abcdefgh', {}, SLOW)
    fireEvent.keyDown(screen.getByRole('button', { name: 'Cancel' }), { key: 'Escape' })
    await waitFor(() => {
      expect(answers).toEqual([{ kind: 'host_key', id: 'k', trust: false }])
    })
  })

  it('keeps a secret only where the engine names it and the shell has a keyring', async () => {
    const kept: unknown[] = []
    const keyring = {
      abilities: () => ({ platform: 'linux', secrets: 'keyring' }),
      keepSecret: (input: unknown) => {
        kept.push(input)
      },
      answerPrompt: () => false,
    }
    const { ask, answers } = setUp({ answers: keyring })
    ask(secret('1', { keepAs: 'password of ann@lab' }))
    fireEvent.change(await screen.findByLabelText(/Password for ann@lab/, {}, SLOW), { target: { value: 'hunter2' } })
    fireEvent.click(await screen.findByLabelText('Keep it in the system’s keyring'))
    fireEvent.click(screen.getByRole('button', { name: 'Send' }))
    await waitFor(() => {
      expect(answers).toHaveLength(1)
    })
    expect(kept).toEqual([{ name: 'password of ann@lab', value: 'hunter2' }])
    ask(secret('2', { text: 'Password for ann@bank: ' }))
    await screen.findByLabelText(/ann@bank/, {}, SLOW)
    expect(screen.queryByLabelText('Keep it in the system’s keyring')).toBeNull()
  })

  it('lets the shell answer with a kept secret, but never a question asked again', async () => {
    const asked: unknown[] = []
    const { ask, taken } = setUp({
      answers: {
        abilities: () => ({ platform: 'linux', secrets: 'keyring' }),
        answerPrompt: (input: unknown) => {
          asked.push(input)
          return true
        },
      },
    })
    ask(secret('1', { keepAs: 'password of ann@lab' }))
    await waitFor(() => {
      expect(asked).toEqual([{ name: 'password of ann@lab', promptId: '1' }])
    }, SLOW)
    expect(screen.queryByRole('dialog')).toBeNull()
    taken('1')
    ask(secret('2', { keepAs: 'password of ann@lab', again: true }))
    await screen.findByLabelText(/Password for ann@lab/, {}, SLOW)
    expect(asked).toHaveLength(1)
  })

  it('one that is taken away closes by itself, and says why', async () => {
    const { ask, taken, answers } = setUp()
    ask({ id: '1', kind: 'host_key', host: 'ann@lab', keyType: 'ssh-ed25519', fingerprint: 'SHA256:abc' })
    await screen.findByRole('dialog', { name: /^Host key of ann@lab/ }, SLOW)
    taken('1', 'The connection to ann@lab ended.')
    expect(await screen.findByText('The connection to ann@lab ended.', {}, SLOW)).toBeTruthy()
    await waitFor(() => {
      expect(screen.queryByRole('dialog')).toBeNull()
    }, SLOW)
    expect(answers).toEqual([])
  })
})
