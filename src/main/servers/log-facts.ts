import type { EngineFacts } from '../../shared/model/engine-facts.ts'
import { VERSION_LINE } from './phases.ts'

/** Facts that the start-up log tells (docs/vllm.md 5.1). */
export interface LogFacts {
  push: (line: string) => void
  read(): Partial<EngineFacts>
}

const CONFIG = /Initializing a V1 LLM engine \(v?(\S{1,200}?)\) with config:?(.*)/
const KV = /\w KV cache size: ([\d,]{1,30}) tokens/
const ENGINE_PREFIX = /EngineCore_(?:DP)?(\d+)/

export function createLogFacts(): LogFacts {
  const facts: Partial<EngineFacts> = {}
  // One entry an engine (data parallel); where an engine says it twice, the smaller one counts.
  const kvByEngine = new Map<string, number>()
  const device = { cuda: false, rocm: false, cpu: false }

  return {
    push: (line) => {
      const version = VERSION_LINE.exec(line)?.[1] ?? CONFIG.exec(line)?.[1]
      if (version !== undefined) facts.version ??= version.replace(/^v(?=\d)/, '')
      const length = /Using max model len (\d+)/.exec(line)?.[1]
      // A drafter has a length of its own: the first line is the model's.
      if (length !== undefined) facts.maxModelLen ??= Number(length)
      const seqs = line.includes('non-default args: {') ? /'max_num_seqs': (\d{1,9})/.exec(line)?.[1] : undefined
      if (seqs !== undefined) Object.assign(facts, { maxNumSeqs: Number(seqs), maxNumSeqsSource: 'startup_log' })
      const tokens = KV.exec(line)?.[1]
      if (tokens !== undefined) {
        const engine = ENGINE_PREFIX.exec(line)?.[1] ?? '0'
        const value = Number(tokens.replaceAll(',', ''))
        kvByEngine.set(engine, Math.min(value, kvByEngine.get(engine) ?? value))
      }
      readConfig(line, facts)
      if (/backend=(?:cpu:)?nccl|\bCUDA graphs?\b|Automatically detected platform cuda/.test(line)) device.cuda = true
      if (/Automatically detected platform rocm|ROCM_(?:ATTN|AITER)/.test(line)) device.rocm = true
      if (/device_config=cpu|Automatically detected platform cpu|CPU KV cache size/.test(line)) device.cpu = true
    },
    read: () => {
      const kv = [...kvByEngine.values()].reduce((sum, value) => sum + value, 0)
      const backend = device.cpu ? 'cpu' : device.rocm ? 'rocm' : (facts.backend ?? (device.cuda ? 'cuda' : undefined))
      return {
        ...facts,
        ...(kvByEngine.size === 0 ? {} : { kvTokens: kv, kvTokensSource: 'startup_log' as const }),
        ...(kvByEngine.size > 1 ? { engines: kvByEngine.size } : {}),
        ...(backend === undefined ? {} : { backend }),
      }
    },
  }
}

/** The resolved configuration, one long line: `model='…', …, dtype=torch.bfloat16, …, quantization=None, …`. */
function readConfig(line: string, facts: Partial<EngineFacts>): void {
  const config = CONFIG.exec(line)?.[2]
  if (config === undefined) return
  const field = (name: string) => new RegExp(`\\b${name}=('[^']*'|[^,\\s)]+)`).exec(config)?.[1]?.replaceAll("'", '')
  const quantization = field('quantization')
  const dtype = field('dtype')
  if (quantization !== undefined && quantization !== 'None') facts.quantization = quantization.toUpperCase()
  else if (dtype !== undefined) facts.quantization = shortDtype(dtype)
  const device = field('device_config')
  if (device !== undefined && /^(?:cuda|cpu|rocm|xpu|tpu)$/.test(device)) facts.backend = device
  const speculative = field('speculative_config')
  if (speculative !== undefined) facts.speculative = speculative !== 'None'
  const revision = field('revision')
  if (revision !== undefined && revision !== 'None') facts.modelRevision = revision
  const length = field('max_seq_len')
  if (length !== undefined && /^\d+$/.test(length)) facts.maxModelLen ??= Number(length)
}

function shortDtype(dtype: string): string {
  const name = dtype.replace(/^torch\./, '')
  return (
    ({ bfloat16: 'BF16', float16: 'FP16', half: 'FP16', float32: 'FP32' } as Record<string, string>)[name] ?? name.toUpperCase()
  )
}
