import { describe, expect, it } from 'vitest'
import type { DryRunView } from '../../../../shared/contract/sweeps.ts'
import { SpeedgridError } from '../../../../shared/model/error.ts'
import { levelWords, shellWord, sweepCommand } from './command.ts'
import { askDryRun, previewOf } from './dry-run.ts'
import { mergedContexts, typedConcurrency, typedContexts } from './lists.ts'
import { EMPTY_FORM, type PlanForm, readPlanForm, type SweepInput } from './plan-form.ts'
import { PRESETS, presetOf, withPreset } from './presets.ts'
import { readPromptsText } from './prompts-text.ts'

const form = (change: Partial<PlanForm> = {}): PlanForm => ({
  ...EMPTY_FORM,
  host: 'lab1',
  contexts: [0, 8192],
  concurrency: [1, 4],
  ...change,
})
const inputOf = (change: Partial<PlanForm> = {}): SweepInput => {
  const outcome = readPlanForm(form(change))
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.errors))
  return outcome.input
}
const errorsOf = (change: Partial<PlanForm>) => {
  const outcome = readPlanForm(form(change))
  return outcome.ok ? {} : outcome.errors
}

describe('typed lists', () => {
  it('reads contexts and keeps what it does not understand', () => {
    expect(typedContexts('0,8k 251K max')).toEqual({ values: [0, 8192, 257_024, 'max'], rest: '' })
    expect(typedContexts('8k, eight')).toMatchObject({ values: [8192], rest: 'eight', error: expect.stringContaining('"eight"') })
  })

  it('reads levels with ranges, both ends included', () => {
    expect(typedConcurrency('1,2,50:100:10').values).toEqual([1, 2, 50, 60, 70, 80, 90, 100])
    expect(typedConcurrency('1:4').values).toEqual([1, 2, 3, 4])
  })

  it.each(['0', '5000', '10:1', '1:2:0', '1.5', 'a', '1:4000'])('says what is wrong with %j', (text) => {
    const typed = typedConcurrency(text)
    expect(typed.values).toEqual([])
    expect(typed.error).toBeTruthy()
    expect(typed.rest).toBe(text)
  })

  it('merges in order, max last', () => {
    expect(mergedContexts(['max', 8192], [0, 8192])).toEqual([0, 8192, 'max'])
  })
})

describe('plan form', () => {
  it('becomes a plan with the prefills that the cells bring anyway', () => {
    const { plan, target } = inputOf({ maxOutputTokens: '4k', temperature: '0', driver: 'tunnel' })
    expect(plan).toMatchObject({ prefillContexts: [8192], maxOutputTokens: 4096, temperature: 0, driver: 'tunnel' })
    expect(target).toEqual({ kind: 'server', host: 'lab1' })
    expect(inputOf({ promptMode: 'cold' }).plan.prefillContexts).toEqual([])
  })

  it.each<[Partial<PlanForm>, keyof PlanForm]>([
    [{ contexts: [] }, 'contexts'],
    [{ concurrency: [] }, 'concurrency'],
    [{ seconds: 'ten' }, 'seconds'],
    [{ seconds: '99999' }, 'seconds'],
    [{ maxOutputTokens: '1' }, 'maxOutputTokens'],
    [{ host: '' }, 'host'],
    [{ targetKind: 'url', url: '' }, 'url'],
    [{ targetKind: 'url', url: 'ftp://x' }, 'url'],
    [{ targetKind: 'url', url: 'http://me:secret@x' }, 'url'],
    [{ minSeconds: '5' }, 'minSeconds'],
    [{ targetPrecisionPercent: '2', minSeconds: '9', maxSeconds: '5' }, 'minSeconds'],
    [{ repeats: '1.5' }, 'repeats'],
    [{ temperature: '9' }, 'temperature'],
    [{ seed: '-1' }, 'seed'],
  ])('%j is said beside %s', (change, field) => {
    expect(errorsOf(change)[field]).toBeTruthy()
  })

  it('knows its preset until something is changed', () => {
    for (const { id } of PRESETS) {
      const chosen = withPreset(form(), id)
      expect(presetOf(chosen)).toBe(id)
      expect(readPlanForm(chosen).ok).toBe(true)
    }
    expect(presetOf({ ...withPreset(form(), 'quick'), seconds: '11' })).toBe('custom')
  })
})

describe('command', () => {
  it('says what differs from the default', () => {
    expect(sweepCommand(inputOf())).toBe('speedgrid sweep \\\n  --host lab1 \\\n  --contexts 0,8k \\\n  --concurrency 1,4')
    const text = sweepCommand(inputOf({ seconds: '10', stagger: true, prefillWithCells: false, name: "Anna's night" }))
    expect(text).toContain('--seconds 10')
    expect(text).toContain('--stagger')
    expect(text).toContain('--prefill-contexts none')
    expect(text).toContain(`--name 'Anna'\\''s night'`)
  })

  it('never holds the key', () => {
    const text = sweepCommand(inputOf({ targetKind: 'url', url: 'http://10.0.0.1:8000', apiKey: 'sk-secret' }))
    expect(text).not.toContain('sk-secret')
    expect(text).toContain('--api-key-env VLLM_API_KEY')
  })

  it('writes ranges back, and quotes for sh', () => {
    expect(levelWords([1, 2, 50, 60, 70, 80])).toBe('1,2,50:80:10')
    expect(levelWords([1, 2, 3, 4, 5])).toBe('1:5')
    expect(levelWords([1, 2, 4, 8])).toBe('1,2,4,8')
    expect(shellWord('$(rm)')).toBe("'$(rm)'")
  })
})

describe('dry run', () => {
  const view = (contexts: number[]): DryRunView => ({
    facts: {
      name: 'vllm',
      servedModel: 'm',
      maxModelLen: 32_768,
      kvTokens: 60_000,
      capabilities: { metrics: true, tokenize: true },
    },
    contexts,
    prefillContexts: [],
    cells: [],
    estimateSeconds: 1,
    place: 'host',
  })
  const engine = (input: SweepInput): Promise<DryRunView> =>
    input.plan.contexts.some((context) => context !== 'max' && context > 28_000)
      ? Promise.reject(new SpeedgridError('plan', 'Context 131,072 can’t fit'))
      : Promise.resolve(view([8192]))

  it('draws the rest of the grid where a context is refused, with its numbers', async () => {
    const input = inputOf({ contexts: [8192, 131_072], concurrency: [4, 8] })
    const outcome = await askDryRun(engine, input)
    if (outcome.kind !== 'answer') throw new Error('no answer')
    expect(outcome.refusals.find((it) => it.of === 'contexts')).toMatchObject({
      context: 131_072,
      reason: expect.stringContaining('32,768'),
    })
    const preview = previewOf(outcome.view, outcome.refusals, input.plan.concurrency)
    expect(preview.rows.map((row) => row.cells.map((cell) => cell.verdict))).toEqual([
      ['run', 'over_capacity'],
      ['refused', 'refused'],
    ])
    expect(preview.counts).toEqual({ run: 1, over_capacity: 1, done: 0, refused: 2 })
    expect(outcome.view.estimateSeconds).toBeGreaterThan(30)
  })

  it('passes other errors on', async () => {
    const gone = () => Promise.reject(new SpeedgridError('server_gone', 'nobody answers'))
    expect(await askDryRun(gone, inputOf())).toMatchObject({ kind: 'error', error: { code: 'server_gone' } })
  })
})

describe('prompts file', () => {
  it('is one text, or one a line of JSONL', () => {
    expect(readPromptsText('a.txt', 'hello\nyou')).toMatchObject({ ok: true, prompts: { texts: ['hello\nyou'] } })
    expect(readPromptsText('a.jsonl', '{"text":"a"}\n\n{"prompt":"b"}')).toMatchObject({
      ok: true,
      prompts: { texts: ['a', 'b'] },
    })
    expect(readPromptsText('a.jsonl', '{"text":"a"}\nnope')).toMatchObject({
      ok: false,
      error: expect.stringContaining('Line 2'),
    })
    expect(readPromptsText('a.txt', ' ')).toMatchObject({ ok: false })
  })
})
