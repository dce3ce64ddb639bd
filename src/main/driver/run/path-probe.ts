import { quantile } from '../../../shared/stats/index.ts'
import type { DriverClient } from '../stream/types.ts'

export interface PathQuality {
  /** Median round trip of a small request over the connection that carries the load, ms. */
  roundTripMs: number
  /** p95 − p50 of them, ms. */
  jitterMs: number
  probes: number
}

const PROBES = 20

/** Undefined where no probe was answered. Any status is an answer. */
export async function probePath(client: DriverClient): Promise<PathQuality | undefined> {
  const latencies: number[] = []
  // The first one pays for the connection.
  for (let probe = 0; probe <= PROBES; probe += 1) {
    try {
      const answer = await client.request('GET', '/version', { timeoutMs: 5000 })
      if (probe > 0) latencies.push(answer.latencyMs)
    } catch {
      if (probe >= 3 && latencies.length === 0) return undefined
    }
  }
  const roundTripMs = quantile(latencies, 0.5)
  const high = quantile(latencies, 0.95)
  if (roundTripMs === undefined || high === undefined) return undefined
  return { roundTripMs, jitterMs: high - roundTripMs, probes: latencies.length }
}

/** Whether the server is reached without leaving this machine, so that a probe's jitter is the server's and not the path's. */
export function isLoopback(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl)
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
}
