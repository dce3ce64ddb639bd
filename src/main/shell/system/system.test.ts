import { describe, expect, it } from 'vitest'
import type { AttachedSweep } from '../../../shared/contract/engine-process.ts'
import { externalAddress } from '../security/external-address.ts'
import { deepLinkIn, deepLinkRoute } from './deep-link.ts'
import { needingThisMachine, progressOf } from './progress.ts'
import { runNotice } from './run-notice.ts'

const sweep = (given: Partial<AttachedSweep>): AttachedSweep => ({
  runId: 'r1',
  name: 'Nightly',
  state: 'running',
  needsThisMachine: false,
  ...given,
})

describe('the taskbar', () => {
  it('shows the share of all cells that are done', () => {
    expect(progressOf([])).toEqual({ value: -1, mode: 'none' })
    expect(progressOf([sweep({ state: 'finished', doneCells: 4, totalCells: 4 })])).toEqual({ value: -1, mode: 'none' })
    const two = [sweep({ doneCells: 1, totalCells: 4 }), sweep({ doneCells: 5, totalCells: 8 })]
    expect(progressOf(two)).toEqual({ value: 0.5, mode: 'normal' })
    expect(progressOf([sweep({ state: 'paused', doneCells: 1, totalCells: 4 })])).toEqual({ value: 0.25, mode: 'paused' })
  })

  it('does not pretend to know', () => {
    expect(progressOf([sweep({})])).toEqual({ value: 2, mode: 'indeterminate' })
  })
})

describe('keeping awake and asking before the end', () => {
  it('is for sweeps that are measured from here and going', () => {
    const here = sweep({ needsThisMachine: true })
    expect(needingThisMachine([sweep({}), here, { ...here, state: 'interrupted' }, { ...here, state: 'finished' }])).toEqual([
      here,
    ])
  })
})

describe('the notice of a run', () => {
  const ended = (state: AttachedSweep['state'], reason?: string) =>
    runNotice({ kind: 'ended', runId: 'a/b', name: 'Nightly', state, ...(reason === undefined ? {} : { reason }) })

  it('says how it ended and leads to it', () => {
    expect(ended('finished')).toMatchObject({ title: 'Sweep finished', route: '#/sweep/a%2Fb' })
    expect(ended('failed', 'The server is gone.')).toMatchObject({
      isFailure: true,
      body: expect.stringContaining('The server is gone.'),
    })
    expect(ended('interrupted')).toMatchObject({ isFailure: true })
  })

  it('is not sent for what the person did', () => {
    expect(ended('stopped')).toBeUndefined()
  })
})

describe('addresses from outside', () => {
  it('of ours only navigate', () => {
    expect(deepLinkRoute('speedgrid://run/01J_x-2')).toBe('#/sweep/01J_x-2')
    expect(deepLinkIn(['electron', '.', '--flag', 'speedgrid://run/a'])).toBe('#/sweep/a')
    for (const link of ['speedgrid://launch?command=rm', 'speedgrid://run/', 'speedgrid://run/a/b', 'https://run/a', '']) {
      expect(deepLinkRoute(link)).toBeUndefined()
    }
  })

  it('for the browser are https and can be judged', () => {
    expect(externalAddress('https://docs.vllm.ai/en/latest')).toBe('https://docs.vllm.ai/en/latest')
    const bad = [
      'http://a.example',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'https://me:pw@a.example',
      'smb://x',
      'x',
      `https://a.example/${'y'.repeat(3000)}`,
    ]
    for (const url of bad) expect(externalAddress(url)).toBeUndefined()
  })
})
