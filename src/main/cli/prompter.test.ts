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

it('a question whose connection is gone ends with a word why; one that waited for it is never shown', async () => {
  const { prompter, stdin, stderr } = prompterOn(true)
  const gone = new AbortController()
  const waiting = new AbortController()
  const first = prompter.trustHostKey({ host: 'lab', keyType: 'ssh-ed25519', fingerprint: 'SHA256:x' }, { signal: gone.signal })
  const second = prompter.secret('Password for lab', { signal: waiting.signal })
  const third = prompter.secret('Password for other')
  await soon()
  stdin.type('ye')
  waiting.abort(new Error('gone too'))
  gone.abort(new Error('The connection to lab ended.'))
  expect(await first).toBeUndefined()
  expect(await second).toBeUndefined()
  expect(stderr.text()).toContain('The connection to lab ended.\n')
  await soon()
  expect(stderr.text()).not.toContain('Password for lab:')
  stdin.type('s\r')
  expect(await third).toBe('s')
  expect([stdin.raw(), stdin.listeners()]).toEqual([false, 0])
})

it('without a terminal nobody answers', async () => {
  const { prompter, stderr } = prompterOn(false)
  expect(await prompter.secret('Password')).toBeUndefined()
  expect(await prompter.trustHostKey({ host: 'h', keyType: 'ssh-ed25519', fingerprint: 'SHA256:x' })).toBeUndefined()
  expect(stderr.text()).toBe('')
})
