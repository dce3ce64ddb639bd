import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { SpeedgridError } from '../../../shared/model/error.ts'
import { type Plan, planSchema } from '../../../shared/model/plan.ts'
import { parseConcurrency, parseContexts, parseTokens } from './lists.ts'
import { apiKeyFrom, resolvePlan } from './plan-options.ts'

const folder = mkdtempSync(join(tmpdir(), 'speedgrid-plan-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const stored = planSchema.parse({ contexts: [0], concurrency: [1], seconds: 7, temperature: 0 })
const resolveWith = (options: Record<string, unknown>) =>
  resolvePlan({ options, path: (typed) => resolve(folder, typed), planOf: () => Promise.resolve<Plan>(stored) })

function write(name: string, content: unknown): string {
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  return name
}

async function failure(work: Promise<unknown> | (() => unknown)): Promise<SpeedgridError> {
  try {
    await (typeof work === 'function' ? work() : work)
  } catch (error) {
    if (error instanceof SpeedgridError) return error
    throw error
  }
  throw new Error('it did not fail')
}

describe('lists', () => {
  it('reads contexts', () => {
    expect(parseContexts('0,8k,251K,max', '--contexts')).toEqual([0, 8192, 257_024, 'max'])
    expect(parseTokens('4k', '--max-output')).toBe(4096)
  })

  it('reads concurrency with ranges, both ends included', () => {
    expect(parseConcurrency('1,2,50:100:10', '--concurrency')).toEqual([1, 2, 50, 60, 70, 80, 90, 100])
    expect(parseConcurrency('1:4', '--concurrency')).toEqual([1, 2, 3, 4])
    expect(parseConcurrency('1:10:4', '--concurrency')).toEqual([1, 5, 9])
  })

  it.each(['', '8q', '1.5.2', '-8k', '8 k'])('refuses %j as a context, naming the option', async (text) => {
    const error = await failure(() => parseContexts(text, '--contexts'))
    expect(error.code).toBe('plan')
    expect(error.message).toContain('--contexts')
  })

  it.each(['', '1,,2', '10:1', '1:2:0', '1:2:3:4', 'a', '1.5'])('refuses %j as concurrency', async (text) => {
    expect((await failure(() => parseConcurrency(text, '--concurrency'))).code).toBe('plan')
  })
})

describe('resolvePlan', () => {
  it('carries every option into the plan under its own name', async () => {
    const prompts = write('p.txt', 'Tell me about bridges.')
    const options = {
      contexts: '0,8k',
      concurrency: '1,8',
      seconds: '10',
      maxOutput: '1k',
      prefillContexts: '8k,max',
      prefillSamples: '3',
      promptMode: 'cold',
      capacity: 'shared',
      kvTokens: '900000',
      order: 'ascending',
      settle: '0.5',
      stagger: true,
      endpoint: 'completions',
      prompts,
      repeats: '2',
      driver: 'tunnel',
      sendNode: true,
      seed: '42',
      model: 'qwen',
      temperature: '0',
      countTokens: 'with-events',
      onLoop: 'replace',
      foreignLoad: 'measure',
      foreignWait: '5',
      onServerGone: 'wait',
      targetPrecision: '1.5',
      minSeconds: '5',
      maxSeconds: '60',
      timeBudget: '30',
      ackLimit: '2',
    }
    expect((await resolveWith(options)).plan).toEqual({
      contexts: [0, 8192],
      concurrency: [1, 8],
      seconds: 10,
      maxOutputTokens: 1024,
      prefillContexts: [8192, 'max'],
      prefillSamples: 3,
      promptMode: 'cold',
      capacity: 'shared',
      kvTokens: 900_000,
      order: 'ascending',
      settleSeconds: 0.5,
      stagger: true,
      endpoint: 'completions',
      prompts: { name: 'p.txt', texts: ['Tell me about bridges.'] },
      repeats: 2,
      driver: 'tunnel',
      sendNode: true,
      seed: 42,
      model: 'qwen',
      temperature: 0,
      countTokens: 'with-events',
      onLoop: 'replace',
      foreignLoad: 'measure',
      foreignWaitSeconds: 5,
      onServerGone: 'wait',
      targetPrecisionPercent: 1.5,
      minSeconds: 5,
      maxSeconds: 60,
      timeBudgetMinutes: 30,
      ackLimitHours: 2,
    })
  })

  it('lets options override the file, and the file the run it is like', async () => {
    const file = write('plan.json', {
      contexts: ['8k', 'max'],
      concurrency: '1,2',
      maxOutput: 512,
      name: 'night',
      tag: 'ci',
      host: 'lab1',
    })
    const { plan, file: rest } = await resolveWith({ plan: file, like: 'last', concurrency: '4' })
    expect(plan).toMatchObject({ contexts: [8192, 'max'], concurrency: [4], maxOutputTokens: 512, seconds: 7, temperature: 0 })
    expect(rest).toEqual({ name: 'night', tags: ['ci'], host: 'lab1' })
  })

  it('measures the prefill that comes with the cells where nothing is said about it', async () => {
    const prefillsOf = async (options: Record<string, unknown>) =>
      (await resolveWith({ concurrency: '1', ...options })).plan.prefillContexts
    expect(await prefillsOf({ contexts: '0,8k,max' })).toEqual([8192])
    expect(await prefillsOf({ contexts: '0,8k', promptMode: 'cold' })).toEqual([])
    expect(await prefillsOf({ contexts: '0,8k', prefillContexts: 'none' })).toEqual([])
    expect(await prefillsOf({ contexts: '8k', prefillContexts: '16k,max' })).toEqual([16_384, 'max'])
    expect(await prefillsOf({ contexts: '8k', like: 'last' })).toEqual([])
  })

  it("takes the plan's own field names in a file, but not both names", async () => {
    const own = write('own.json', { contexts: [0], concurrency: [1], maxOutputTokens: 64, settleSeconds: 0 })
    expect((await resolveWith({ plan: own })).plan).toMatchObject({ maxOutputTokens: 64, settleSeconds: 0 })
    const both = write('both.json', { contexts: [0], concurrency: [1], maxOutputTokens: 64, maxOutput: 65 })
    expect((await failure(resolveWith({ plan: both }))).message).toContain('maxOutput')
  })

  it('refuses a typo in a file with what it may have meant', async () => {
    const file = write('typo.json', { contexts: [0], concurency: [1] })
    const error = await failure(resolveWith({ plan: file }))
    expect(error.code).toBe('plan')
    expect(error.message).toContain('"concurency"')
    expect(error.nextStep).toContain('"concurrency"')
  })

  it.each([
    [{ contexts: '0', concurrency: '1', seconds: 'ten' }, '--seconds'],
    [{ contexts: '0', concurrency: '1', seconds: '99999' }, '--seconds'],
    [{ contexts: '0,0', concurrency: '1' }, '--contexts'],
    [{ contexts: '0', concurrency: '0' }, '--concurrency'],
    [{ contexts: '0', concurrency: '1', maxOutput: '1' }, '--max-output'],
    [{ contexts: '0', concurrency: '1', promptMode: 'distnct' }, '--prompt-mode'],
    [{ contexts: '0', concurrency: '1', minSeconds: '5' }, '--target-precision'],
    [{ concurrency: '1' }, '--contexts'],
  ])('names the option in %j', async (options, flag) => {
    const error = await failure(resolveWith(options))
    expect(error.code).toBe('plan')
    expect([error.message, ...error.evidence].join('\n')).toContain(flag)
  })

  it('suggests a near choice', async () => {
    expect((await failure(resolveWith({ contexts: '0', concurrency: '1', promptMode: 'distnct' }))).nextStep).toContain(
      '"distinct"',
    )
  })

  it('reads JSONL prompts and says which line is wrong', async () => {
    const good = write('p.jsonl', '{"text":"one"}\n{"prompt":"two"}\n\n')
    expect((await resolveWith({ contexts: '0', concurrency: '1', prompts: good })).plan.prompts?.texts).toEqual(['one', 'two'])
    const bad = write('bad.jsonl', '{"text":"one"}\nnot json\n')
    expect((await failure(resolveWith({ contexts: '0', concurrency: '1', prompts: bad }))).message).toContain('Line 2')
    expect((await failure(resolveWith({ contexts: '0', concurrency: '1', prompts: 'none.txt' }))).message).toContain('--prompts')
  })
})

describe('apiKeyFrom', () => {
  it('reads the variable and refuses an unset one without repeating what may be a key', async () => {
    expect(apiKeyFrom({ KEY: 'secret' }, 'KEY')).toBe('secret')
    expect(apiKeyFrom({}, undefined)).toBeUndefined()
    const unset = await failure(() => apiKeyFrom({}, 'KEY'))
    expect([unset.code, unset.evidence]).toEqual(['usage', ['KEY']])
    const pasted = await failure(() => apiKeyFrom({}, 'sk-very-secret'))
    expect(JSON.stringify(pasted.toInfo())).not.toContain('very-secret')
  })
})
