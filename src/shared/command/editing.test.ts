import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { removeUse, setFlag, setModel, setVariable, tidy } from './edit.ts'
import { fullFlag } from './flags.ts'
import { quoteForPeople as quoted, writeCommand } from './quote.ts'
import { flagOf, readCommand } from './reading.ts'
import { secretSpans, takeSecrets, withRedacted } from './secrets.ts'

const PASTED = `# what runs on lab 2, don't touch
$ VLLM_USE_V1=1 vllm serve Qwen/Qwen3.5-27B-FP8 \\
    --served_model_name qwen chat \\
    --max-model-len=256K \\
    -tp 2 \\
    --speculative-config '{"method":"mtp", "num_speculative_tokens":3}' \\
    --enable-auto-tool-choice --some-flag-of-next-year "two words"
`
const values = (text: string) => readCommand(text).words.map((word) => word.value)

describe('reading', () => {
  it('takes a pasted command apart, prompt, comment and continuations left out', () => {
    const reading = readCommand(PASTED)
    expect(reading.variables.map(({ name, value }) => [name, value])).toEqual([['VLLM_USE_V1', '1']])
    expect(reading.model?.value).toBe('Qwen/Qwen3.5-27B-FP8')
    expect(reading.flags.map((use) => [use.flag, ...use.values])).toEqual([
      ['--served-model-name', 'qwen', 'chat'],
      ['--max-model-len', '256K'],
      ['--tensor-parallel-size', '2'],
      ['--speculative-config', '{"method":"mtp", "num_speculative_tokens":3}'],
      ['--enable-auto-tool-choice'],
      ['--some-flag-of-next-year', 'two words'],
    ])
    expect(reading.stray).toEqual([])
  })

  it('knows prefixes, underscores and short forms, and leaves others alone', () => {
    expect(fullFlag('--max_model_l')).toBe('--max-model-len')
    expect(fullFlag('-q')).toBe('--quantization')
    expect(fullFlag('--kv-cache-dtype-skip-layers')).toBe('--kv-cache-dtype-skip-layers')
    expect(fullFlag('--speculative-config.method')).toBe('--speculative-config.method')
    expect(fullFlag('--max')).toBe('--max')
  })

  it('reads a module start, export lines and a model behind --model', () => {
    const reading = readCommand('export A=b\npython3 -m vllm.entrypoints.openai.api_server --model /data/x --port 80')
    expect(reading.program?.kind).toBe('module')
    expect(reading.model?.value).toBe('/data/x')
    expect(reading.variables[0]?.value).toBe('b')
  })

  it('never throws, whatever is typed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
        readCommand(text)
        readCommand(`vllm serve ${text}`)
        secretSpans(text)
        takeSecrets(`vllm serve x ${text}`)
      }),
    )
  })
})

// oxlint-disable-next-line no-control-regex -- the engine takes no control characters
const word = fc.string({ minLength: 1, maxLength: 12 }).filter((it) => !/[\u0000-\u001f]/.test(it) && !it.startsWith('-'))
const unknownFlag = fc.stringMatching(/^--x-[a-z]{1,8}$/)
const command = fc
  .record({
    model: word.filter((it) => !/^[A-Za-z_]\w*=/.test(it)),
    flags: fc.array(fc.tuple(unknownFlag, fc.array(word, { maxLength: 2 })), { maxLength: 6 }),
    joint: fc.constantFrom(' ', '  ', ' \\\n  ', '\n', '\t'),
  })
  .map(({ model, flags, joint }) =>
    [`vllm serve ${quoted(model)}`, ...flags.map(([flag, list]) => [flag, ...list.map(quoted)].join(' '))].join(joint),
  )

describe('words and text', () => {
  it('come back as the same words', () => {
    fc.assert(
      fc.property(fc.array(fc.array(word, { maxLength: 3 }), { maxLength: 8 }), (groups) => {
        expect(values(writeCommand(groups))).toEqual(groups.flat())
      }),
    )
  })

  it('stay the same when a command is tidied, and tidying twice changes nothing', () => {
    fc.assert(
      fc.property(command, (text) => {
        expect(values(tidy(text))).toEqual(values(text))
        expect(tidy(tidy(text))).toBe(tidy(text))
      }),
    )
    expect(values(tidy(PASTED))).toEqual(values(PASTED))
    expect(tidy('M=m\nexport A=b\nvllm   serve $M >log')).toBe('A=b vllm serve m')
    const chosen = 'conda activate x && vllm   serve m'
    expect(tidy(chosen)).toBe(chosen)
  })
})

describe('editing from the form', () => {
  const formFlag = fc.constantFrom(
    '--max-model-len',
    '--tensor-parallel-size',
    '--dtype',
    '--quantization',
    '--speculative-config',
  )
  const uses = (text: string) => readCommand(text).flags.map((use) => [use.flag, ...use.values])

  it('sets one flag and leaves every other word alone', () => {
    fc.assert(
      fc.property(command, formFlag, word, word, (text, flag, first, second) => {
        const once = setFlag(text, flag, [first])
        expect(flagOf(readCommand(once), flag)?.values).toEqual([first])
        expect(once.startsWith(text.trimEnd())).toBe(true)
        const twice = setFlag(once, flag, [second])
        expect(flagOf(readCommand(twice), flag)?.values).toEqual([second])
        expect(uses(setFlag(twice, flag, undefined))).toEqual(uses(text))
        expect(readCommand(twice).model?.value).toBe(readCommand(text).model?.value)
      }),
    )
  })

  it('keeps the shape of what was pasted', () => {
    const next = setFlag(setFlag(PASTED, '--max-model-len', ['128K']), '--dtype', ['bfloat16'])
    expect(next).toContain('--max-model-len=128K \\\n    -tp 2')
    expect(next).toContain('"two words" \\\n  --dtype bfloat16\n')
    expect(next.startsWith("# what runs on lab 2, don't touch\n$ VLLM_USE_V1=1")).toBe(true)
  })

  it('removes a flag with its line, in the middle and at the end', () => {
    expect(setFlag('vllm serve x \\\n  --dtype auto \\\n  --seed 1', '--dtype', undefined)).toBe('vllm serve x \\\n  --seed 1')
    expect(setFlag('vllm serve x \\\n  --dtype auto', '--dtype', undefined)).toBe('vllm serve x')
    const text = 'vllm serve x --a 1 --b --c 2'
    const b = readCommand(text).flags[1]
    expect(b && removeUse(text, b)).toBe('vllm serve x --a 1 --c 2')
  })

  it('writes several names, and changes one flag out of two by the rule that the last one wins', () => {
    expect(setFlag('vllm serve x --served-model-name=a', '--served-model-name', ['a', 'b'])).toBe(
      'vllm serve x --served-model-name a b',
    )
    expect(setFlag('vllm serve x --dtype a --dtype b', '--dtype', ['c'])).toBe('vllm serve x --dtype a --dtype c')
  })

  it('sets the model and variables where they belong', () => {
    expect(setModel('', 'a b')).toBe("vllm serve 'a b'")
    expect(setModel('vllm serve --seed 1', 'm')).toBe('vllm serve m --seed 1')
    expect(setModel('vllm serve old --seed 1', '~/models/new')).toBe('vllm serve ~/models/new --seed 1')
    expect(setVariable('vllm serve m', 'A', '1 2')).toBe("A='1 2' vllm serve m")
    expect(setVariable('A=1 B=2 vllm serve m', 'B', undefined)).toBe('A=1 vllm serve m')
    expect(setVariable('export A=1\nvllm serve m', 'A', undefined)).toBe('vllm serve m')
  })
})

describe('secrets', () => {
  const text = "HF_TOKEN=hf_abcdefghijkl vllm serve m --api-key 'sk very secret' --seed 1"

  it('leave the text and come back only for the engine', () => {
    const taken = takeSecrets(text)
    expect(taken.text).toBe('vllm serve m --seed 1')
    expect(taken.secrets).toEqual([
      { name: 'HF_TOKEN', value: 'hf_abcdefghijkl' },
      { name: 'VLLM_API_KEY', value: 'sk very secret' },
    ])
    expect(withRedacted(taken.text, taken.secrets)).toBe('HF_TOKEN=<redacted> VLLM_API_KEY=<redacted> vllm serve m --seed 1')
  })

  it('of a report or a saved launch are asked for again, except the key that every server gets anyway', () => {
    const taken = takeSecrets('HF_TOKEN=<redacted> vllm serve m --api-key <redacted> --seed 1')
    expect(taken).toEqual({ text: 'vllm serve m --seed 1', secrets: [{ name: 'HF_TOKEN', value: '' }] })
  })

  it.each(['--api-k', '--api_key', '--api-key=', '--hf-t', '--hf_token='])('are known by %s too', (flag) => {
    const text = `vllm serve m ${flag}${flag.endsWith('=') ? '' : ' '}s3cretvalue --seed 1`
    expect(secretSpans(text).map(({ start, end }) => text.slice(start, end))).toEqual(['s3cretvalue'])
    expect(takeSecrets(text)).toEqual({
      text: 'vllm serve m --seed 1',
      secrets: [{ name: flag.startsWith('--api') ? 'VLLM_API_KEY' : 'HF_TOKEN', value: 's3cretvalue' }],
    })
  })

  it('are found where they stand, so that they show as dots', () => {
    const shown = secretSpans(text).map(({ start, end }) => text.slice(start, end))
    expect(shown).toEqual(['hf_abcdefghijkl', "'sk very secret'"])
    expect(secretSpans('vllm serve m --hf-overrides {} --max-num-batched-tokens 8192')).toEqual([])
  })

  it('are gone from what is left, whatever stands around them', () => {
    fc.assert(
      fc.property(command, fc.stringMatching(/^[a-zA-Z0-9]{12,20}$/), (around, value) => {
        const secret = `Zq${value}qZ`
        const taken = takeSecrets(`${around} --api-key ${secret}`)
        expect(taken.text).not.toContain(secret)
        expect(readCommand(taken.text).flags).toHaveLength(readCommand(around).flags.length)
      }),
    )
  })
})
