import { expect, it } from 'vitest'
import { createPrompter } from './prompter.ts'
import { fakeInput, fakeOutput } from './testing/fake-streams.ts'

function prompterOn(isTTY: boolean) {
  const stdin = fakeInput(isTTY)
  const stderr = fakeOutput({ isTTY })
  let interrupts = 0
  const prompter = createPrompter({ stdin, stderr, onInterrupt: () => void (interrupts += 1) })
  return { prompter, stdin, stderr, interrupts: () => interrupts }
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 5))

it('reads a secret without echo, with backspace and pasted umlauts', async () => {
  const { prompter, stdin, stderr } = prompterOn(true)
  const answer = prompter.secret('Password for lab1')
  await soon()
  expect(stdin.raw()).toBe(true)
  stdin.type('pässx')
  stdin.type('\u007f')
  stdin.type('!\r')
  expect(await answer).toBe('päss!')
  expect(stderr.text()).toBe('Password for lab1: \n')
  expect([stdin.raw(), stdin.listeners()]).toEqual([false, 0])
})

it('echoes what may be seen', async () => {
  const { prompter, stdin, stderr } = prompterOn(true)
  const answer = prompter.secret('Code:', { echo: true })
  await soon()
  stdin.type('42\n')
  expect(await answer).toBe('42')
  expect(stderr.text()).toBe('Code: 42\n')
})

it('asks one question after the other', async () => {
  const { prompter, stdin, stderr } = prompterOn(true)
  const answers = Promise.all([prompter.secret('First'), prompter.secret('Second')])
  await soon()
  expect(stderr.text()).not.toContain('Second')
  stdin.type('1\r')
  await soon()
  stdin.type('2\r')
  expect(await answers).toEqual(['1', '2'])
})

it('Ctrl-C at a question interrupts, Ctrl-D gives no answer', async () => {
  const { prompter, stdin, interrupts } = prompterOn(true)
  const interrupted = expect(prompter.secret('Password')).rejects.toMatchObject({ code: 'interrupted' })
  await soon()
  stdin.type('abc\u0003')
  await interrupted
  expect(interrupts()).toBe(1)
  const ended = prompter.secret('Password')
  await soon()
  stdin.type('\u0004')
  expect(await ended).toBeUndefined()
})

it('without a terminal nobody answers', async () => {
  const { prompter, stderr } = prompterOn(false)
  expect(await prompter.secret('Password')).toBeUndefined()
  expect(await prompter.trustHostKey({ host: 'h', keyType: 'ssh-ed25519', fingerprint: 'SHA256:x' })).toBeUndefined()
  expect(stderr.text()).toBe('')
})
