import type { EventLog } from '../event-log.ts'
import type { GpuReading } from '../gpu-feed.ts'
import type { ProbeResult } from '../load-probe.ts'
import type { Scrape } from '../metrics-feed.ts'
import type { TrackedRequest } from '../streams.ts'
import type { WindowEdges } from '../window.ts'

/** All that an attempt has left behind when its window is over; every figure is derived from this. */
export interface Measured {
  log: EventLog
  requests: TrackedRequest[]
  edges: WindowEdges
  /** Scrapes since the attempt began. */
  scrapes: Scrape[]
  /** Readings inside the window. */
  gpus: GpuReading[]
  probe: ProbeResult
  /** The prompt's length by the scout's usage, where a scout was sent. */
  scoutPromptTokens: number | undefined
  /** Requests running that weren't ours when the attempt began. */
  foreignBefore: number
  /** Where no usage is asked for with the events: a request before the run showed that each brings one token. */
  oneTokenAnEvent: boolean
}
