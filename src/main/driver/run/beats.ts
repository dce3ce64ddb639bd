import type { SpoolEntry } from '../../../shared/model/spool.ts'
import type { CellQueue } from './cell-queue.ts'
import type { Clock } from './clock.ts'
import type { Commands } from './commands.ts'
import type { GpuFeed } from './gpu-feed.ts'
import type { MetricsFeed } from './metrics-feed.ts'
import type { RunProgress } from './progress.ts'

const BEAT_MS = 1000

/** Once a second: alive, and how far. Ends the run where nobody has read for longer than the plan allows. */
export function startBeats(options: {
  clock: Clock
  commands: Commands
  queue: CellQueue
  progress: RunProgress
  lastAckMs: () => number
  ackLimitHours: number
  write: (entry: SpoolEntry) => void
}): () => void {
  const { clock, commands, queue, progress, write } = options
  return clock.every(BEAT_MS, () => {
    const now = clock.now()
    const remaining = progress.remainingSeconds(queue.waiting(), now)
    write({
      kind: 'beat',
      doneCells: progress.doneCells,
      totalCells: progress.totalCells,
      remainingSeconds: Math.round(remaining * 10) / 10,
    })
    if (now - options.lastAckMs() > options.ackLimitHours * 3_600_000) {
      commands.end('interrupt', `nobody has read from the driver for ${options.ackLimitHours} hours`)
    }
  })
}

/** Scrapes and GPU readings of the whole run, about one line a second. */
export function startSamples(options: {
  feed: MetricsFeed
  gpu: GpuFeed
  clock: Clock
  write: (entry: SpoolEntry) => void
}): () => void {
  const { feed, gpu, clock, write } = options
  let lastGpuMs = 0
  const gpus = () => {
    const latest = gpu.latest
    if (!latest || latest.atMs === lastGpuMs) return undefined
    lastGpuMs = latest.atMs
    return latest.gpus
  }
  let lastLineMs = Number.NEGATIVE_INFINITY
  const line = (metrics: Parameters<Parameters<MetricsFeed['start']>[0]>[0]['sample'] | undefined) => {
    const reading = gpus()
    if (metrics === undefined && reading === undefined) return
    lastLineMs = clock.now()
    write({ kind: 'sample', ...(reading ? { gpus: reading } : {}), ...(metrics ? { metrics } : {}) })
  }
  const stopFeed = feed.start((scrape) => {
    if (clock.now() - lastLineMs >= 0.7 * BEAT_MS) line(scrape.sample)
  })
  const stopGpu = feed.available ? () => undefined : clock.every(BEAT_MS, () => line(undefined))
  return () => {
    stopFeed()
    stopGpu()
  }
}
