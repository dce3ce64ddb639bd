/** What one line of the start-up log says about how far the server is. */
interface PhaseHit {
  phase: string
  detail?: string
  /** 0…1 */
  progress?: number
}

interface PhaseRule {
  phase: string
  pattern: RegExp
  detail?: (match: RegExpExecArray) => string
  progress?: (match: RegExpExecArray) => number
}

const percent = (match: RegExpExecArray) => Math.min(1, Number(match[1]) / 100)

/** `vLLM API server version 0.9.1` of old, the logo's `version 0.32.0` of today. */
export const VERSION_LINE = /(?:vLLM (?:API )?server ?|[█▀▄ ]{5})version (\S{1,200})/

/** docs/vllm.md 5.1, in the order of a start. The first rule that fits a line wins. */
const RULES: PhaseRule[] = [
  { phase: 'import', pattern: VERSION_LINE, detail: (m) => `vLLM ${m[1] ?? ''}` },
  { phase: 'args', pattern: /non-default args: \{/ },
  { phase: 'config', pattern: /Resolved architecture: (\S+)/, detail: (m) => m[1] ?? '' },
  { phase: 'config', pattern: /Using max model len (\d+)/, detail: (m) => `max model length ${m[1] ?? ''}` },
  {
    phase: 'engine',
    pattern: /Initializing a V1 LLM engine \(v?(\S{1,200}?)\) with config/,
    detail: (m) => `engine ${m[1] ?? ''}`,
  },
  {
    phase: 'distributed',
    pattern: /world_size=(\d{1,9}) rank=(\d{1,9}).{0,300}backend=(\w{1,50})/,
    detail: (m) => `world size ${m[1] ?? ''}, ${m[3] ?? ''}`,
  },
  {
    phase: 'backend',
    pattern: /Using (\S+) (?:attention )?backend\b|Using V2 Model Runner/,
    detail: (m) => m[1] ?? 'V2 model runner',
  },
  { phase: 'load', pattern: /Starting to load model (\S+)/, detail: (m) => (m[1] ?? '').replace(/(?<!\.)\.+$/, '') },
  {
    phase: 'download',
    pattern: /Time spent downloading weights for .{0,300}?: ([\d.]{1,20}) seconds/,
    detail: (m) => `took ${m[1] ?? ''} s`,
  },
  { phase: 'download', pattern: /^(?:Downloading|Fetching)\b.*?(\d+)%\|/, progress: percent },
  {
    phase: 'weights',
    pattern: /Loading (?:safetensors|pt|\S+) checkpoint shards:\s+(\d+)% Completed \| (\d+)\/(\d+)/,
    detail: (m) => `${m[2] ?? ''} of ${m[3] ?? ''} shards`,
    progress: percent,
  },
  {
    phase: 'weights',
    pattern: /Loading weights took ([\d.]+) seconds/,
    detail: (m) => `took ${m[1] ?? ''} s`,
    progress: () => 1,
  },
  { phase: 'weights', pattern: /Model loading took ([\d.]+) GiB/, detail: (m) => `${m[1] ?? ''} GiB`, progress: () => 1 },
  { phase: 'drafter', pattern: /Loading drafter model/ },
  {
    phase: 'compile',
    pattern:
      /Dynamo bytecode transform time|Compiling a graph for compile range|Directly load (?:the compiled graph|AOT compilation)|torch\.compile (?:took|takes) [\d.]+ s/,
  },
  { phase: 'warmup', pattern: /Initial profiling\/warmup run took ([\d.]+) s|Warming up model for the compilation/ },
  { phase: 'kv_cache', pattern: /\w KV cache size: ([\d,]{1,30}) tokens/, detail: (m) => `${m[1] ?? ''} tokens` },
  { phase: 'kv_cache', pattern: /Available KV cache memory: ([\d.]+) GiB/, detail: (m) => `${m[1] ?? ''} GiB` },
  {
    phase: 'kv_cache',
    pattern: /(?:Auto set|Explicitly set) \(?([\d.]{1,20})[\d./]{0,40}\)? ?GiB (?:for|as) KV cache/i,
    detail: (m) => `${m[1] ?? ''} GiB`,
  },
  { phase: 'graphs', pattern: /Capturing CUDA graphs?\b.{0,200}?(\d{1,3})%/, progress: percent },
  {
    phase: 'graphs',
    pattern: /Graph capturing finished in (\d+) secs/,
    detail: (m) => `took ${m[1] ?? ''} s`,
    progress: () => 1,
  },
  { phase: 'init', pattern: /init engine \(.{0,300}?\) took ([\d.]{1,20}) s/, detail: (m) => `took ${m[1] ?? ''} s` },
  { phase: 'serve', pattern: /Starting vLLM (?:API )?server(?: \d+)? on (\S+)/, detail: (m) => m[1] ?? '' },
  { phase: 'routes', pattern: /Available routes are:/ },
  { phase: 'startup', pattern: /Application startup complete/ },
]

export function readPhase(line: string): PhaseHit | undefined {
  for (const rule of RULES) {
    const match = rule.pattern.exec(line)
    if (match === null) continue
    return {
      phase: rule.phase,
      ...(rule.detail === undefined ? {} : { detail: rule.detail(match) }),
      ...(rule.progress === undefined ? {} : { progress: rule.progress(match) }),
    }
  }
  return undefined
}

interface PhaseTracker {
  /** What is new for the person: a phase seen for the first time, or a bar that moved in the latest one. */
  push(line: string, atSeconds: number): (PhaseHit & { atSeconds: number }) | undefined
  /** First occurrence of each phase, in order. */
  seen(): { phase: string; atSeconds: number }[]
}

export function createPhaseTracker(): PhaseTracker {
  const first = new Map<string, number>()
  let progress = 0
  return {
    push: (line, atSeconds) => {
      const hit = readPhase(line)
      if (hit === undefined) return undefined
      const known = first.has(hit.phase)
      const latest = [...first.keys()].at(-1)
      // Ranks and engines repeat what the first one said; only the running bar is news.
      if (known && (hit.phase !== latest || hit.progress === undefined || hit.progress <= progress)) return undefined
      if (!known) first.set(hit.phase, atSeconds)
      progress = hit.progress ?? 0
      return { ...hit, atSeconds }
    },
    seen: () => [...first].map(([phase, atSeconds]) => ({ phase, atSeconds })),
  }
}
