import { afterEach, expect, test, vi } from 'vitest'
import type { PromptView } from '../../../shared/contract/prompts.ts'
import { createPrompts } from './prompts.ts'

afterEach(() => void vi.useRealTimers())

async function shown(watching: AsyncIterator<unknown>): Promise<PromptView> {
  const { value } = (await watching.next()) as { value: { change?: { upsert?: PromptView } } }
  const prompt = value.change?.upsert
  if (prompt === undefined) throw new Error('no question')
  return prompt
}

test('a question is shown, answered by its id, and gone for everybody', async () => {
  const prompts = createPrompts()
  const leave = new AbortController()
  const watching = prompts.api.watch(leave.signal)[Symbol.asyncIterator]()
  expect(await watching.next()).toMatchObject({ value: { kind: 'snapshot', value: [] } })
  const answer = prompts.prompter.secret('Password of me@lab', { echo: false })
  const prompt = await shown(watching)
  expect(prompt).toEqual({ id: prompt.id, kind: 'secret', text: 'Password of me@lab', echo: false })
  await expect(prompts.api.answer({ kind: 'host_key', id: prompt.id, trust: true })).rejects.toMatchObject({ code: 'usage' })
  await prompts.api.answer({ kind: 'secret', id: prompt.id, value: 'hunter2' })
  expect(await answer).toBe('hunter2')
  const removal = await watching.next()
  expect(removal.value).toMatchObject({ change: { remove: prompt.id } })
  expect(JSON.stringify(removal)).not.toContain('hunter2')
  await expect(prompts.api.answer({ kind: 'secret', id: prompt.id, value: 'late' })).rejects.toMatchObject({ code: 'not_found' })
  leave.abort()
  prompts.dispose()
})

test('host keys: trusted, refused; a late page finds the question; cancelled means nothing was said', async () => {
  const prompts = createPrompts()
  const answer = prompts.prompter.trustHostKey({ host: 'lab', keyType: 'ssh-ed25519', fingerprint: 'SHA256:x' })
  const leave = new AbortController()
  const first = await prompts.api.watch(leave.signal)[Symbol.asyncIterator]().next()
  const [question] = (first.value as { value: PromptView[] }).value
  expect(question).toMatchObject({ kind: 'host_key', host: 'lab', fingerprint: 'SHA256:x' })
  await prompts.api.answer({ kind: 'host_key', id: question?.id ?? '', trust: false })
  expect(await answer).toBe(false)

  const cancelled = prompts.prompter.secret('Code')
  const second = await prompts.api.watch(leave.signal)[Symbol.asyncIterator]().next()
  await prompts.api.answer({ kind: 'secret', id: (second.value as { value: PromptView[] }).value[0]?.id ?? '' })
  expect(await cancelled).toBeUndefined()
  leave.abort()
  prompts.dispose()
})

test('a question is taken away when what asked it is gone, with a word why; what comes late is refused', async () => {
  const prompts = createPrompts()
  const leave = new AbortController()
  const watching = prompts.api.watch(leave.signal)[Symbol.asyncIterator]()
  await watching.next()
  const gone = new AbortController()
  const answer = prompts.prompter.trustHostKey(
    { host: 'lab', keyType: 'ssh-ed25519', fingerprint: 'SHA256:x' },
    { signal: gone.signal },
  )
  const { id } = await shown(watching)
  gone.abort(new Error('The connection to lab ended.'))
  expect(await answer).toBeUndefined()
  expect((await watching.next()).value).toMatchObject({ change: { remove: id, why: 'The connection to lab ended.' } })
  await expect(prompts.api.answer({ kind: 'host_key', id, trust: true })).rejects.toMatchObject({ code: 'not_found' })
  expect(await prompts.prompter.secret('Password', { signal: gone.signal })).toBeUndefined()
  leave.abort()
  prompts.dispose()
})

test('a question nobody can see is given up; one that is shown waits, until its page has been gone for long', async () => {
  vi.useFakeTimers()
  const prompts = createPrompts({ unseenLimitMs: 1000 })
  const unseen = prompts.prompter.secret('Password')
  await vi.advanceTimersByTimeAsync(1001)
  expect(await unseen).toBeUndefined()

  let answer: unknown = 'open'
  void prompts.prompter.secret('Password').then((value) => (answer = value))
  const leave = new AbortController()
  const watching = prompts.api.watch(leave.signal)[Symbol.asyncIterator]()
  await watching.next()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(answer).toBe('open')
  leave.abort()
  await vi.advanceTimersByTimeAsync(900)
  expect(answer).toBe('open')
  await vi.advanceTimersByTimeAsync(200)
  expect(answer).toBeUndefined()
  prompts.dispose()
})

test('when the engine ends every question ends', async () => {
  const prompts = createPrompts()
  const open = prompts.prompter.trustHostKey({ host: 'lab', keyType: 'k', fingerprint: 'f' })
  prompts.dispose()
  expect(await open).toBeUndefined()
  expect(await prompts.prompter.secret('Password')).toBeUndefined()
})
