import type { SpoolLine } from '../../shared/model/spool.ts'
import type { RunsStore } from '../store/index.ts'

/** Each finished attempt is a transaction of its own (architecture.md). */
const BATCH_ENDS = new Set<SpoolLine['kind']>(['attempt', 'prefill', 'end'])

/** Stores lines in batches that end at each attempt, prefill and end; `onStored` hears of each batch once it is on disk. */
export function storeLines(runs: RunsStore, runId: string, lines: SpoolLine[], onStored: (batch: SpoolLine[]) => void): void {
  let batch: SpoolLine[] = []
  const flush = () => {
    if (batch.length === 0) return
    runs.appendLines(runId, batch)
    const stored = batch
    batch = []
    onStored(stored)
  }
  for (const line of lines) {
    batch.push(line)
    if (BATCH_ENDS.has(line.kind)) flush()
  }
  flush()
}
