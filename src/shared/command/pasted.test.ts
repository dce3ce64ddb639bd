import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tidy } from './edit.ts'
import { launchCommand, startableCommand } from './launch-command.ts'
import { quoteArgv, quoteForPeople, writeWords } from './quote.ts'
import { readCommand } from './reading.ts'
import { secretSpans, takeSecrets } from './secrets.ts'
import { shellTokens } from './words.ts'

/** What people copy from web pages, colleagues and shell histories, byte for byte. */
const pasted = (name: string) => readFileSync(`${import.meta.dirname}/fixtures/${name}.cmd`, 'utf8')
const start = (text: string) => startableCommand({ text, secrets: [] })
const LONG = ['Qwen/Qwen3-8B', '--max-model-len', '32768']

describe('what is pasted', () => {
  it.each<[string, string[], RegExp | undefined]>([
    [
      'json-over-lines',
      [
        'Qwen/Qwen3-8B',
        '--port',
        '8100',
        '--kv-transfer-config',
        '{\n    "kv_connector": "NixlConnector",\n    "kv_role": "kv_both"\n  }',
        '--max-model-len',
        '32768',
      ],
      undefined,
    ],
    ['no-break-spaces', LONG, /odd spaces/],
    ['blanks-behind-backslash', [...LONG, '--dtype', 'auto'], /blanks behind it/],
    ['commented-flag', [...LONG, '--dtype', 'auto'], /in front of --dtype/],
    ['own-variables', ['Qwen/Qwen3-8B', '--port', '8100', '--tensor-parallel-size', '2'], /TP is not set/],
    ['host-variable', ['Qwen/Qwen3-8B'], undefined],
    ['bare-json', ['Qwen/Qwen3-8B', '--kv-transfer-config', '{"kv_connector":"X","kv_role":"kv_both"}'], /--kv-transfer-config/],
    ['prompt', LONG, /prompts/],
    ['fence', LONG, /Markdown/],
    ['flag-before-model', ['--tensor-parallel-size', '2', 'Qwen/Qwen3-8B'], undefined],
    ['redirection', ['Qwen/Qwen3-8B', '--dtype', 'auto'], />vllm.log was taken off/],
    ['second-command', ['Qwen/Qwen3-8B'], /; echo … behind the command was taken off/],
    ['conda-run', ['Qwen/Qwen3-8B'], /environment is vllm/],
  ])('%s', (name, args, note) => {
    const command = start(pasted(name))
    expect(command).toMatchObject({ args, model: 'Qwen/Qwen3-8B' })
    if (note === undefined) expect(command.notes).toEqual([])
    else expect(command.notes.join('\n')).toMatch(note)
  })

  it.each([
    ['docker-run', /container \(docker\)/, /environment/],
    ['uv-run', /uv run/, /environment/],
    ['numactl', /numactl in front of vllm serve/, /Leave numactl out/],
    ['sudo', /sudo is not carried out/, /account/],
    ['curly-quotes', /text processor/, /plain/],
  ])('is refused by name, and nothing of it is lost: %s', (name, cause, nextStep) => {
    const text = pasted(name)
    expect(readCommand(text).problem).toEqual({
      cause: expect.stringMatching(cause) as string,
      nextStep: expect.stringMatching(nextStep) as string,
    })
    expect(() => start(text)).toThrow(cause)
    expect(tidy(text).replaceAll(/\s+/g, ' ')).toContain('Qwen/Qwen3-8B')
  })

  it('is put right with one press', () => {
    const repaired = (name: string) => readCommand(pasted(name)).repairs.map(({ text }) => text.trim())
    expect(repaired('curly-quotes')).toEqual([`vllm serve Qwen/Qwen3-8B --speculative-config '{"method":"ngram"}' --dtype auto`])
    expect(repaired('bare-json')).toEqual([
      `vllm serve Qwen/Qwen3-8B --kv-transfer-config '{"kv_connector":"X","kv_role":"kv_both"}'`,
    ])
    for (const name of ['uv-run', 'numactl', 'sudo']) expect(repaired(name)).toEqual(['vllm serve Qwen/Qwen3-8B'])
    expect(readCommand('vllm serve m –dtype auto —max‑model‑len 8k −tp 2').repairs[0]?.text).toBe(
      'vllm serve m --dtype auto --max-model-len 8k -tp 2',
    )
    expect(readCommand(`vllm serve m --sc '{“method”: “ngram”}'`).repairs[0]?.text).toBe(
      `vllm serve m --sc '{"method": "ngram"}'`,
    )
    expect(readCommand('cd /srv && vllm serve m').repairs[0]?.text).toBe('vllm serve m')
    for (const name of ['curly-quotes', 'bare-json', 'uv-run', 'numactl', 'sudo']) {
      expect(readCommand(repaired(name)[0] ?? '')).toMatchObject({ repairs: [], notes: [] })
      expect(readCommand(repaired(name)[0] ?? '').problem).toBeUndefined()
    }
  })

  it('holds a secret in a container’s flags, which is shown as dots', () => {
    const text = pasted('docker-run')
    expect(secretSpans(text).map((span) => text.slice(span.start, span.end))).toEqual(['"HF_TOKEN=hf_notARealToken"'])
  })
})

describe('what a shell has its own meaning for', () => {
  it.each([
    ['vllm serve X; ls', ['X'], /^; ls behind the command/],
    ['vllm serve X;ls -l', ['X'], /; ls … behind/],
    ['vllm serve X &', ['X'], undefined],
    ['vllm serve X&', ['X'], undefined],
    ['vllm serve X >log.txt', ['X'], />log.txt was taken off/],
    ['vllm serve X>log.txt 2>&1', ['X'], />log.txt 2>&1 was taken off/],
    ['vllm serve X &>log&', ['X'], /&>log was taken off/],
    ['vllm serve X 2> /tmp/err --seed 1', ['X', '--seed', '1'], /2> \/tmp\/err was taken off/],
    ['vllm serve X 2>&1 | tee log', ['X'], /\| tee … behind/],
    ['vllm serve X # note', ['X'], undefined],
    ['vllm serve X#1 --x b#c', ['X#1', '--x', 'b#c'], undefined],
    ['A=1 nohup vllm serve X', ['X'], /nohup was taken off/],
    ['nohup vllm serve X >log 2>&1 &', ['X'], /nohup was taken off/],
    ['export A=1; vllm serve X', ['X'], undefined],
    ['A=1\nB=2\nvllm serve X', ['X'], undefined],
    ['set -e\nvllm serve X\necho done', ['X'], /^echo … behind/],
    ['vllm serve "X" --x \'a;b >c #d\'', ['X', '--x', 'a;b >c #d'], undefined],
    ['ARGS="--seed 1 --dtype auto"\nvllm serve X $ARGS', ['X', '--seed', '1', '--dtype', 'auto'], undefined],
    [`vllm serve X --x $'a\\nb'`, ['X', '--x', 'a\nb'], undefined],
    ['vllm serve X \\\n> --seed 1', ['X', '--seed', '1'], /prompts/],
    ['vllm serve X \\\r\n  --seed 1\r\n', ['X', '--seed', '1'], undefined],
    ['    export A=1\n    vllm serve X \\\n      --seed 1', ['X', '--seed', '1'], undefined],
    ['vllm serve\n  X\n  --seed 1', ['X', '--seed', '1'], /line breaks/],
    ["Run this, it's quick:\n\n```bash\n$ vllm serve X\n```\nThen wait.", ['X'], /Markdown/],
    ['`vllm serve X`', ['X'], undefined],
    ['me@box /srv % vllm serve X', ['X'], /prompts/],
    ['vllm serve X --name it’s', ['X', '--name', 'it’s'], undefined],
  ])('%s', (text, args, note) => {
    const command = start(text)
    expect(command.args).toEqual(args)
    if (note === undefined) expect(command.notes).toEqual([])
    else expect(command.notes.join('\n')).toMatch(note)
  })

  it.each([
    ['vllm serve $MODEL', /\$MODEL has no value/],
    ['vllm serve "${MODEL}"', /\$MODEL has no value/],
    ['vllm serve X --tensor-parallel-size $(nproc)', /\$\(nproc …\)/],
    ['vllm serve ${X%%/*}', /\$\{…\} is something/],
    ['vllm serve X --tensor-parallel-size `nproc`', /would have to work out/],
    ['cd /srv/models && vllm serve X', /cd in front/],
    ['module load cuda; vllm serve X', /module in front/],
    ['source .venv/bin/activate && vllm serve X', /source in front/],
    ['vllm serve X & vllm serve Y', /more than one server/],
    ['bash -c "vllm serve X"', /bash … is not a command/],
    ['srun -p gpu vllm serve X', /srun in front/],
    ['sudo docker run vllm/vllm-openai X', /container \(docker\)/],
    ['vllm serve X --a "b', /not closed/],
  ])('is refused: %s', (text, cause) => {
    expect(() => start(text)).toThrow(cause)
  })

  it('is the host’s own: kept for it', () => {
    expect(start(pasted('host-variable')).environment).toEqual([
      { name: 'LD_LIBRARY_PATH', value: '/opt/x/lib:${LD_LIBRARY_PATH}' },
    ])
    expect(start('vllm serve $HOME/m --x /scratch/$USER/y').args).toEqual(['$HOME/m', '--x', '/scratch/${USER}/y'])
    expect(start("vllm serve m --x '$USER'").args).toEqual(['m', '--x', '$USER'])
  })

  it('chooses the environment', () => {
    expect(start('source /opt/v/bin/activate && vllm serve X').chosen).toBe('/opt/v/bin/vllm')
    expect(start('conda activate main\nvllm serve X').chosen).toBe('main')
    expect(start('conda run --no-capture-output -p /opt/c vllm serve X').chosen).toBe('/opt/c/bin/vllm')
  })

  it('is a variable that only helps the text, or one of the server', () => {
    expect(start('M=x\nCUDA_VISIBLE_DEVICES=0\nvllm serve $M').environment).toEqual([
      { name: 'CUDA_VISIBLE_DEVICES', value: '0' },
    ])
  })
})

describe('secrets', () => {
  it('come apart from their text, and are put in where it names them', () => {
    const secrets = [{ name: 'HF_TOKEN', value: 'hf_abcdefghijkl' }]
    for (const text of ['vllm serve m', 'vllm serve m --hf-token $HF_TOKEN', 'HF_TOKEN=<redacted> vllm serve m']) {
      const command = startableCommand({ text, secrets })
      expect(Object.fromEntries(command.secrets)).toEqual({ HF_TOKEN: 'hf_abcdefghijkl' })
      expect(JSON.stringify([command.args, command.written, command.environment])).not.toContain('hf_abc')
    }
    expect(launchCommand({ text: 'vllm serve m', secrets: [{ name: 'HF_TOKEN' }] }).missing).toEqual(['HF_TOKEN'])
    expect(() => startableCommand({ text: 'vllm serve m', secrets: [{ name: 'HF_TOKEN' }] })).toThrow('HF_TOKEN is missing')
    expect(() => startableCommand({ text: 'vllm serve m --x $HF_TOKEN', secrets })).toThrow('--x is missing')
  })

  it.each([
    ['HF_TOKEN=hf_abcdefghijkl\nvllm serve m --hf-token $HF_TOKEN', { HF_TOKEN: 'hf_abcdefghijkl' }],
    ['K=secretvalue1\nvllm serve m --api-key $K', { VLLM_API_KEY: 'secretvalue1' }],
    ['HF_TOKEN=$HF_TOKEN vllm serve m', { HF_TOKEN: '' }],
    ['vllm serve m --api-key "$KEY"', { VLLM_API_KEY: '' }],
    ['export HF_TOKEN=hf_abcdefghijkl\nvllm serve m # --api-key secretvalue1', { HF_TOKEN: 'hf_abcdefghijkl' }],
  ])('leave every place of the text: %s', (text, secrets) => {
    const taken = takeSecrets(text)
    expect(Object.fromEntries(taken.secrets.map(({ name, value }) => [name, value]))).toEqual(secrets)
    expect(taken.text).not.toMatch(/hf_abc|secretvalue/)
    expect(readCommand(taken.text, Object.keys(secrets)).problem).toBeUndefined()
  })
})

// oxlint-disable-next-line no-control-regex -- no argument holds NUL, and a lone surrogate is no text
const anyWord = fc
  .oneof(fc.string({ maxLength: 12 }), fc.string({ unit: 'grapheme', maxLength: 8 }))
  .map((it) => it.replaceAll(/\0/g, ''))
const SHELLS = ['sh', 'bash', 'dash', 'zsh'].filter((shell) => spawnSync(shell, ['-c', 'exit 0']).status === 0)

describe('quoting', () => {
  it('and reading are each other’s opposite', () => {
    fc.assert(
      fc.property(fc.array(anyWord, { maxLength: 6 }), (words) => {
        for (const text of [writeWords(words), words.length === 0 ? '' : quoteArgv(words)]) {
          expect(shellTokens(text).map(({ kind, value }) => [kind, value])).toEqual(words.map((word) => ['word', word]))
        }
      }),
      { numRuns: 500 },
    )
  })

  it('text → reading → text is the identity once a command is tidy', () => {
    fc.assert(
      fc.property(fc.array(anyWord, { maxLength: 6 }), (words) => {
        const text = writeWords(['vllm', 'serve', 'm', ...words])
        expect(writeWords(readCommand(text).words.map(({ value }) => value))).toBe(text)
      }),
    )
  })

  it.each(SHELLS)('for people and for shells reads back in %s', (shell) => {
    // What stays bare for people is meant for a shell to put in.
    const word = anyWord.filter((it) => !/^~|\$HOME|\$\{|[\r\n]/.test(it))
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), (words) => {
        const line = ['printf', '%s\\0', 'first', ...words]
        for (const text of [quoteArgv(line), line.map(quoteForPeople).join(' ')]) {
          const said = spawnSync(shell, ['-c', text]).stdout.toString('utf8').split('\0').slice(0, -1)
          expect(said).toEqual(['first', ...words.map((it) => Buffer.from(it, 'utf8').toString('utf8'))])
        }
      }),
      { numRuns: 40 },
    )
  })

  it('tokens are what a real shell splits a line into', () => {
    const piece = fc.constantFrom(
      'a',
      "'",
      '"',
      '\\',
      ' ',
      '  ',
      '#',
      ' #',
      '=',
      '-x',
      '\\\n',
      '\t',
      'é',
      '{',
      '}',
      '!',
      '~x',
      '%',
      ',',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const text = `printf '%s\\0' first ${pieces.join('')}`
        const tokens = shellTokens(text)
        const shell = spawnSync('dash', ['-c', text])
        fc.pre(shell.status === 0 && !tokens.some(({ isOpen }) => isOpen) && !/\\(?: |\t)*(?:\n|$)|\n-|~/.test(pieces.join('')))
        const said = shell.stdout.toString('utf8').split('\0').slice(0, -1)
        expect(tokens.flatMap(({ kind, value }) => (kind === 'word' ? [value] : [])).slice(2)).toEqual(said)
      }),
      { numRuns: 150 },
    )
  })
})
