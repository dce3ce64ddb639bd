import { describe, expect, it } from 'vitest'
import { FAILURES } from './failure-table.ts'
import { diagnose } from './failures.ts'

const E = '(EngineCore pid=9) ERROR 11-30 10:00:00 [core.py:1] '
const about = (...lines: string[]) => diagnose({ lines })

describe('diagnose', () => {
  it.each([
    ['vllm: error: unrecognized arguments: --foo 3', '--foo 3'],
    ["vllm serve: error: argument --dtype: invalid choice: 'x' (choose from auto, half)", '--dtype'],
    ['OSError: [Errno 98] Address already in use', 'port is in use'],
    [
      "huggingface_hub.errors.HFValidationError: Repo id must be in the form 'repo_name' or 'namespace/repo_name': '/no/m'.",
      'model was not found',
    ],
    ['OSError: nope/nope is not a local folder and is not a valid model identifier listed on', 'model was not found'],
    [
      `${E}huggingface_hub.errors.LocalEntryNotFoundError: Cannot find an appropriate cached snapshot folder`,
      'could not be downloaded',
    ],
    [
      `${E}ValueError: No available memory for the cache blocks. Try increasing gpu_memory_utilization`,
      'no memory is left for the KV cache',
    ],
    [
      `${E}ValueError: To serve at least one request with the models's max seq len (9), (1.00 GiB KV cache is needed ... estimated maximum model length is 5. Try`,
      '9 tokens; about 5',
    ],
    [
      '(Worker pid=5) ERROR 11-30 04:49:35 [multiproc_executor.py:1063] ValueError: Available memory on node 0 (9.96/12.84 GiB) on kv cache allocation is less than requested memory for kv (900.0 GiB). Decrease VLLM_CPU_KVCACHE_SPACE',
      'too little free memory for the KV cache',
    ],
    [`${E}torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB`, 'out of memory'],
    [
      `${E}ValueError: Free memory on device cuda:0 (3/79 GiB) on startup is less than desired GPU memory utilization (0.92)`,
      'another process holds',
    ],
    [
      'pydantic_core._pydantic_core.ValidationError: 1 validation error: Value error, Total number of attention heads (2) must be divisible by tensor parallel size (4).',
      'head count',
    ],
    ['  Value error, Total number of attention heads (2) must be divisible by tensor parallel size (4).', 'head count'],
    ['sh: 1: exec: /opt/vllm: not found', 'vLLM was not found'],
    [`${E}RuntimeError: NCCL error: unhandled system error`, 'NCCL'],
    [`${E}OSError: [Errno 28] No space left on device`, 'disk of the host is full'],
  ])('%s', (line, cause) => {
    const found = about(
      '(APIServer pid=8) INFO 11-30 10:00:00 [x.py:1] started',
      line,
      'RuntimeError: Engine core initialization failed. See root cause above.',
    )
    expect(found).toMatchObject({ code: 'server_failed', cause: expect.stringContaining(cause) as unknown })
    expect(found.evidence[0]).toBe(line)
    expect(found.nextStep).not.toBe('')
  })

  it('is not misled by warnings', () => {
    const warning =
      '(APIServer pid=8) WARNING 11-30 10:00:00 [x.py:1] This can cause errors like `OSError: [Errno 24] Too many open files`'
    expect(about(warning, 'OSError: [Errno 98] Address already in use').cause).toContain('port')
  })

  it('names the first cause, not the wrapper and not what followed from it', () => {
    const found = about(
      `${E}EngineCore failed to start.`,
      `${E}Traceback (most recent call last):`,
      `${E}torch.OutOfMemoryError: CUDA out of memory.`,
      `${E}RuntimeError: NCCL error: peer is gone`,
      'RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}',
    )
    expect(found.cause).toContain('out of memory')
    expect(found.evidence).toHaveLength(3)
  })

  it('quotes what was raised, not the source line that raises it', () => {
    const found = about(
      'Traceback (most recent call last):',
      '  File "v.py", line 1',
      '    raise HFValidationError(',
      'hub.HFValidationError: Repo id must be in the form',
    )
    expect(found.evidence).toEqual(['hub.HFValidationError: Repo id must be in the form'])
  })

  it('says what the server said where the table does not know it', () => {
    expect(about('Traceback (most recent call last):', '  File "x.py"', 'mylib.OddError: never seen before').cause).toContain(
      'never seen before',
    )
    const orphaned = about(
      'RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}',
      '(Worker pid=7) ERROR 11-30 04:50:14 [multiproc_executor.py:953] BrokenPipeError: [Errno 32] Broken pipe',
    )
    expect(orphaned.cause).toContain('a process of the engine was killed')
  })

  it('sees that somebody killed it', () => {
    const lines = ['(APIServer pid=8) INFO 11-30 10:00:00 [x.py:1] loading']
    expect(diagnose({ lines }).cause).toContain('killed')
    expect(diagnose({ lines, exit: { signal: 9 } }).cause).toContain('signal 9')
    expect(diagnose({ lines, exit: { code: 137 } }).cause).toContain('killed')
    expect(diagnose({ lines, oomKills: 1 }).cause).toContain('ran out of memory')
    expect(diagnose({ lines, exit: { code: 3 } }).cause).toContain('exit status 3')
    const core = diagnose({
      lines: ['RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}'],
      oomKills: 2,
    })
    expect(core.cause).toContain('ran out of memory')
  })

  it('has a remedy for everything and no rule without words', () => {
    expect(FAILURES.length).toBeGreaterThan(45)
    for (const rule of FAILURES) {
      expect(rule.remedy).toMatch(/\.$/)
      expect('x'.repeat(50)).not.toMatch(rule.pattern)
    }
  })
})
