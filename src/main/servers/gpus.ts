import type { HostLink } from '../ssh/types.ts'
import { readFacts } from './remote-script.ts'

export interface GpuUse {
  gpus: { index: number; memoryMiB?: number }[]
  computePids: number[]
}

const SCRIPT = `
command -v nvidia-smi > /dev/null || exit 0
echo tool
nvidia-smi --query-gpu=index,memory.used --format=csv,noheader,nounits 2>/dev/null | sed 's/^/gpu /'
nvidia-smi --query-compute-apps=pid --format=csv,noheader 2>/dev/null | sed 's/^/pid /'
exit 0
`

/** Memory in use per GPU and the processes that compute; undefined where the host has no nvidia-smi, or it doesn't answer in 15 s. */
export async function readGpuUse(link: HostLink): Promise<GpuUse | undefined> {
  const result = await link.script(SCRIPT, [], { timeoutMs: 15_000 }).catch(() => undefined)
  const facts = readFacts(result?.stdout ?? '')
  if (facts.one('tool') === undefined) return undefined
  const gpus = facts.all('gpu').flatMap((line) => {
    const [index = '', memory = ''] = line.split(',').map((part) => part.trim())
    if (!/^\d+$/.test(index)) return []
    // Unified-memory devices say [N/A].
    return [{ index: Number(index), ...(/^\d+$/.test(memory) ? { memoryMiB: Number(memory) } : {}) }]
  })
  const computePids = facts
    .all('pid')
    .filter((pid) => /^\d+$/.test(pid))
    .map(Number)
  return { gpus, computePids }
}
