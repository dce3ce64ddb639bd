import { describe, expect, it } from 'vitest'
import { answerCall, CallError, type CallHandlers } from './calls.ts'
import { createChosenPaths } from './chosen-paths.ts'
import { callInputs, readFromPage } from './envelope.ts'
import { isAppUrl, isTrustedFrame } from './sender.ts'

describe('what a page may say', () => {
  it('is one of two envelopes', () => {
    expect(readFromPage('{"to":"engine","data":"PING"}')).toEqual({ to: 'engine', data: 'PING' })
    expect(readFromPage('{"to":"shell","id":3,"call":"abilities","input":null}')).toEqual({
      to: 'shell',
      id: 3,
      call: 'abilities',
      input: null,
    })
  })

  it.each([
    ['no text', 42],
    ['no JSON', '{"to":'],
    ['nothing', 'null'],
    ['an unknown receiver', '{"to":"kernel","data":""}'],
    ['a field too many', '{"to":"engine","data":"","more":1}'],
    ['no number of the call', '{"to":"shell","call":"abilities","input":null}'],
    ['a frame beyond the limit', JSON.stringify({ to: 'engine', data: 'x'.repeat(4 * 1024 * 1024 + 1) })],
    ['a text beyond the limit', ' '.repeat(32 * 1024 * 1024 + 1)],
  ])('is dropped when it is %s', (_what, text) => {
    expect(readFromPage(text)).toBeUndefined()
  })

  it('has inputs that are checked', () => {
    expect(callInputs.notify.safeParse({ title: 'a', body: '', route: 'https://example.org' }).success).toBe(false)
    expect(callInputs.saveFile.safeParse({ suggestedName: 'a.html', extensions: ['../x'] }).success).toBe(false)
    expect(callInputs.printReport.safeParse({ html: '<p>', format: 'exe', path: '/a' }).success).toBe(false)
    expect(callInputs.attach.safeParse({ url: 'http://127.0.0.1:1/', more: true }).success).toBe(false)
  })
})

describe('answering a call', () => {
  const unexpected: string[] = []
  const note = (call: string) => unexpected.push(call)
  const refuse = () => {
    throw new Error('not asked for')
  }
  const handlersWith = (own: Partial<CallHandlers<string>>) =>
    ({ ...Object.fromEntries(Object.keys(callInputs).map((name) => [name, refuse])), ...own }) as CallHandlers<string>

  it('gives the value under the number of the call', async () => {
    const handlers = handlersWith({ saveFile: ({ suggestedName }, caller) => Promise.resolve(`${caller}/${suggestedName}`) })
    const call = { id: 7, call: 'saveFile', input: { suggestedName: 'a.html' } }
    expect(await answerCall(handlers, call, 'window', note)).toEqual({ from: 'shell', id: 7, ok: true, value: 'window/a.html' })
  })

  it('refuses unknown calls and wrong inputs without running anything', async () => {
    const handlers = handlersWith({})
    expect(await answerCall(handlers, { id: 1, call: 'constructor', input: null }, '', note)).toMatchObject({ id: 1, ok: false })
    expect(await answerCall(handlers, { id: 2, call: 'reveal', input: { path: '' } }, '', note)).toMatchObject({
      id: 2,
      ok: false,
    })
  })

  it('tells what is meant for people and keeps the rest to itself', async () => {
    const handlers = handlersWith({
      attach: () => Promise.reject(new CallError('That link was used already.')),
      detach: () => Promise.reject(new Error('at /home/me/secret.ts:1')),
    })
    expect(await answerCall(handlers, { id: 1, call: 'attach', input: { url: 'x' } }, '', note)).toMatchObject({
      error: 'That link was used already.',
    })
    const hidden = await answerCall(handlers, { id: 2, call: 'detach', input: null }, '', note)
    expect(JSON.stringify(hidden)).not.toContain('secret.ts')
    expect(unexpected).toEqual(['detach'])
  })
})

describe('who may speak', () => {
  it.each([
    ['app://speedgrid/index.html#/hosts', true],
    ['app://speedgrid/', true],
    ['app://speedgrid.example/index.html', false],
    ['app://user@speedgrid/index.html', false],
    ['https://speedgrid/index.html', false],
    ['file:///index.html', false],
    ['about:blank', false],
    ['', false],
  ])('%s: %s', (url, expected) => {
    expect(isAppUrl(url)).toBe(expected)
  })

  it('is the main frame of the window, on a page of ours', () => {
    const main = { url: 'app://speedgrid/index.html' }
    expect(isTrustedFrame(main, main)).toBe(true)
    expect(isTrustedFrame({ url: main.url }, main)).toBe(false)
    expect(isTrustedFrame(null, main)).toBe(false)
    const foreign = { url: 'https://example.org/' }
    expect(isTrustedFrame(foreign, foreign)).toBe(false)
  })
})

describe('files a page may have written or shown', () => {
  it('are those the person chose, and what lies in our own folder', () => {
    const chosen = createChosenPaths()
    chosen.addToWrite('/home/me/report.pdf')
    chosen.addToShow('/home/me/.ssh/id_rsa')
    expect(chosen.takeToWrite('/home/me/.ssh/id_ed25519')).toBe(false)
    // What was opened is read, never written over.
    expect(chosen.takeToWrite('/home/me/.ssh/id_rsa')).toBe(false)
    expect(chosen.takeToWrite('/home/me/x/../report.pdf')).toBe(true)
    expect(chosen.takeToWrite('/home/me/report.pdf')).toBe(false)
    expect(chosen.mayShow('/home/me/report.pdf', undefined)).toBe(true)
    expect(chosen.mayShow('/data/speedgrid/log.txt', '/data/speedgrid')).toBe(true)
    expect(chosen.mayShow('/data/speedgrid-other/log.txt', '/data/speedgrid')).toBe(false)
    expect(chosen.mayShow('/data/speedgrid/../secret', '/data/speedgrid')).toBe(false)
    expect(chosen.mayShow('/data/speedgrid/log.txt', undefined)).toBe(false)
  })
})
