import type { LaunchView } from '../../../../shared/contract/servers.ts'

export interface PhaseRow {
  phase: string
  label: string
  meaning?: string
  detail?: string
  progress?: number
  startSeconds: number
  /** Of the running one: so far. */
  seconds: number
  state: 'done' | 'running' | 'failed' | 'cancelled'
}

/** As the log names them (docs/vllm.md 5.1), in words of people. */
const LABELS: Record<string, { label: string; meaning?: string }> = {
  starting: { label: 'Process started' },
  import: { label: 'Python imports', meaning: 'vLLM and PyTorch are loaded: 10 seconds or more, always.' },
  importing: { label: 'Python imports' },
  args: { label: 'Arguments read' },
  config: { label: 'Model configuration' },
  engine: { label: 'Engine process' },
  distributed: { label: 'GPUs joined', meaning: 'The processes of tensor and pipeline parallelism find each other.' },
  backend: { label: 'Attention backend' },
  load: { label: 'Model load begins' },
  download: { label: 'Download', meaning: 'Weights that aren’t on the host yet.' },
  weights: { label: 'Weights', meaning: 'Read from disk into GPU memory.' },
  'loading weights': { label: 'Weights' },
  drafter: { label: 'Draft model', meaning: 'The small model of speculative decoding.' },
  compile: { label: 'Compile', meaning: 'torch.compile; the next start finds it in its cache.' },
  compiling: { label: 'Compile' },
  warmup: { label: 'Profiling run', meaning: 'Finds out how much memory is left for the KV cache.' },
  kv_cache: { label: 'KV cache' },
  'KV cache': { label: 'KV cache' },
  graphs: { label: 'CUDA graphs', meaning: 'One for each batch size; makes decoding faster.' },
  'capturing graphs': { label: 'CUDA graphs' },
  init: { label: 'Engine ready' },
  serve: { label: 'HTTP server' },
  routes: { label: 'Routes' },
  startup: { label: 'Accepts requests' },
  health: { label: 'Health check' },
  ready: { label: 'First token answered', meaning: 'One tiny request went through: only then it counts as ready.' },
}

export function phaseRows({ phases, seconds, state }: Pick<LaunchView, 'phases' | 'seconds' | 'state'>): PhaseRow[] {
  return phases.map((it, index) => {
    const next = phases[index + 1]
    const isLast = next === undefined
    const known = LABELS[it.phase]
    return {
      phase: it.phase,
      label: known?.label ?? sentence(it.phase),
      ...(known?.meaning === undefined ? {} : { meaning: known.meaning }),
      ...(it.detail === undefined ? {} : { detail: it.detail }),
      ...(it.progress === undefined || !isLast ? {} : { progress: it.progress }),
      startSeconds: it.atSeconds,
      seconds: Math.max(0, (next?.atSeconds ?? Math.max(seconds, it.atSeconds)) - it.atSeconds),
      state: !isLast || state === 'ready' ? 'done' : state === 'starting' ? 'running' : state,
    }
  })
}

function sentence(phase: string): string {
  const words = phase.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
