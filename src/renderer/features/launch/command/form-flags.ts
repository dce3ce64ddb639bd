import { tokenCount } from './token-count.ts'

export interface FormFlag {
  /** In full, as vLLM's help writes it. */
  flag: string
  label: string
  help: string
  placeholder: string
  choices?: readonly string[]
  /** Limits and form; the message beside the field. */
  problem(value: string): string | undefined
}

const whole = (what: string, from: number, to: number) => (value: string) =>
  /^\d+$/.test(value) && Number(value) >= from && Number(value) <= to
    ? undefined
    : `${what}: a whole number from ${from.toLocaleString('en')} to ${to.toLocaleString('en')}.`

const oneWord = (value: string) => (/\s/.test(value) ? 'One word, without spaces.' : undefined)

function jsonObject(value: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(value)
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? undefined : 'A JSON object: {"method": …}.'
  } catch {
    return 'Not valid JSON. Example: {"method":"mtp","num_speculative_tokens":3}'
  }
}

/** The flags people change most. Every other one is kept as written (docs/vllm.md 1.2). */
export const FORM_FLAGS = [
  {
    flag: '--served-model-name',
    label: 'Served name',
    help: 'What requests call the model; several names with spaces.',
    placeholder: 'the model’s own name',
    problem: (value) => (value.length > 500 ? 'At most 500 characters.' : undefined),
  },
  {
    flag: '--max-model-len',
    label: 'Max model length',
    help: 'Longest prompt and answer together, in tokens. 256K is 262,144 and 256k is 256,000; auto takes what fits in memory.',
    placeholder: 'from the model',
    problem: (value) => tokenCount(value).problem,
  },
  {
    flag: '--tensor-parallel-size',
    label: 'Tensor parallel',
    help: 'GPUs one copy of the model is spread over.',
    placeholder: '1',
    problem: whole('GPUs', 1, 1024),
  },
  {
    flag: '--gpu-memory-utilization',
    label: 'GPU memory share',
    help: 'Share of each GPU’s memory vLLM may take, 0 to 1.',
    placeholder: 'vLLM’s default',
    problem: (value) =>
      /^(?:0?\.\d+|0\.\d+|1(?:\.0+)?)$/.test(value) && Number(value) > 0 ? undefined : 'Above 0 and at most 1, like 0.93.',
  },
  {
    flag: '--max-num-seqs',
    label: 'Max sequences',
    help: 'Most requests in one step. Fewer than a sweep’s largest concurrency makes requests queue.',
    placeholder: 'vLLM’s default',
    problem: whole('Sequences', 1, 1_000_000),
  },
  {
    flag: '--dtype',
    label: 'Data type',
    help: 'Of weights and activations.',
    placeholder: 'auto',
    choices: ['auto', 'bfloat16', 'float16', 'half', 'float32', 'float'],
    problem: oneWord,
  },
  {
    flag: '--quantization',
    label: 'Quantization',
    help: 'Left out, the model’s own configuration decides.',
    placeholder: 'from the model',
    choices: ['fp8', 'awq', 'gptq', 'compressed-tensors', 'modelopt', 'mxfp4', 'bitsandbytes'],
    problem: oneWord,
  },
  {
    flag: '--kv-cache-dtype',
    label: 'KV cache type',
    help: 'fp8 holds twice the tokens of bfloat16.',
    placeholder: 'auto',
    choices: ['auto', 'bfloat16', 'fp8', 'fp8_e4m3', 'fp8_e5m2', 'fp8_ds_mla', 'nvfp4'],
    problem: oneWord,
  },
  {
    flag: '--reasoning-parser',
    label: 'Reasoning parser',
    help: 'Tells thinking from answer in the output.',
    placeholder: 'none',
    choices: ['qwen3', 'deepseek_r1', 'deepseek_v4', 'openai_gptoss', 'glm45', 'kimi_k2', 'minimax_m2', 'gemma4', 'mistral'],
    problem: oneWord,
  },
  {
    flag: '--speculative-config',
    label: 'Speculative decoding',
    help: 'JSON. Tokens are then counted from usage, not from events.',
    placeholder: 'off',
    problem: jsonObject,
  },
] as const satisfies readonly FormFlag[]
