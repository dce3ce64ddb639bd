import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createGpuLines, NVIDIA_SMI_FIELD_SETS, nvidiaSmiArguments } from '../../shared/telemetry/index.ts'
import type { HostLink, Tunnel, TunnelState } from '../ssh/types.ts'

const GPU_INTERVAL_MS = 500
const LOOP_INTERVAL_MS = 1000
const RESTART_MS = 5000

/**
 * What a driver beside the engine can't see itself: the host's GPUs, stamped with our wall clock, how the tunnel stands, and how late our own
 * event loop is while it carries it.
 */
export function createBesideFeed({
  connect,
  gpus,
  tunnel,
}: {
  connect: () => Promise<HostLink>
  gpus: boolean
  tunnel: Pick<Tunnel, 'state' | 'onStateChange' | 'onFull'>
}) {
  return (send: (line: object) => void): { dispose(): void } => {
    const stopLoop = feedLoopDelay(send)
    const stopTunnel = feedTunnel(tunnel, send)
    const stopGpus = gpus ? feedGpus(connect, send) : () => undefined
    return {
      dispose: () => {
        stopLoop()
        stopTunnel()
        stopGpus()
      },
    }
  }
}

/** The driver can't tell a tunnel that broke from a server that died; we can. */
function feedTunnel(tunnel: Pick<Tunnel, 'state' | 'onStateChange' | 'onFull'>, send: (line: object) => void): () => void {
  const tell = (state: TunnelState) => send({ kind: 'link', ...state })
  if (tunnel.state.state !== 'up') tell(tunnel.state)
  const stops = [tunnel.onStateChange(tell), tunnel.onFull((reason) => send({ kind: 'limit', reason }))]
  return () => {
    for (const stop of stops) stop()
  }
}

function feedLoopDelay(send: (line: object) => void): () => void {
  const resolution = 10
  const histogram = monitorEventLoopDelay({ resolution })
  histogram.enable()
  const timer = setInterval(() => {
    // The histogram counts the timer's own period too.
    const loopDelayP99Ms = Math.max(0, histogram.percentile(99) / 1e6 - resolution)
    histogram.reset()
    if (Number.isFinite(loopDelayP99Ms)) send({ kind: 'tunnel', loopDelayP99Ms })
  }, LOOP_INTERVAL_MS)
  return () => {
    clearInterval(timer)
    histogram.disable()
  }
}

/** Follows `nvidia-smi --loop-ms`; started again after the link was lost. */
function feedGpus(connect: () => Promise<HostLink>, send: (line: object) => void): () => void {
  let stopped = false
  let current: { dispose(): void } | undefined
  let timer: NodeJS.Timeout | undefined

  async function follow(): Promise<void> {
    const link = await connect()
    const fields = await pickFields(link)
    if (fields === undefined || stopped) return
    const lines = createGpuLines(fields, (gpus, wallMs) => send({ kind: 'gpu', wallMs, gpus }))
    const argv = ['nvidia-smi', ...nvidiaSmiArguments(fields, GPU_INTERVAL_MS)]
    const running = await link.stream(argv, (chunk) => lines.push(chunk.toString('utf8'), Date.now()))
    current = running
    if (stopped) running.dispose()
    await running.done
    lines.end()
  }
  function again(): void {
    void follow()
      .catch(() => undefined)
      .then(() => {
        if (!stopped) timer = setTimeout(again, RESTART_MS)
      })
  }
  again()
  return () => {
    stopped = true
    clearTimeout(timer)
    current?.dispose()
  }
}

async function pickFields(link: HostLink): Promise<readonly string[] | undefined> {
  for (const fields of NVIDIA_SMI_FIELD_SETS) {
    const result = await link.exec(['nvidia-smi', ...nvidiaSmiArguments(fields)], { timeoutMs: 30_000 })
    if (result.code === 0) return fields
  }
  return undefined
}
