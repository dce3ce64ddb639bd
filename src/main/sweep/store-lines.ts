import type { SpoolLine } from '../../shared/model/spool.ts'
import type { RunsStore } from '../store/index.ts'
import { type Patience, withPatience } from './patience.ts'

/** Each finished attempt is a transaction of its own: what was stored is whole, whenever we end. */
const BATCH_ENDS = new Set<SpoolLine['kind']>(['attempt', 'prefill', 'end'])

/** Stores lines in batches that end at each attempt, prefill and end; `onStored` hears of each batch once it is on disk. */
export async function storeLines(
  runs: RunsStore,
  runId: string,
  lines: SpoolLine[],
  { patience, onStored }: { patience: Patience; onStored: (batch: SpoolLine[]) => void },
): Promise<void> {
  let batch: SpoolLine[] = []
  const flush = async () => {
    if (batch.length === 0) return
    const stored = batch
    batch = []
    // Without a pause in between: who begins to listen hears of stored lines first, and must not hear of them again.
    await withPatience(patience, () => {
      runs.appendLines(runId, stored)
      onStored(stored)
    })
  }
  for (const line of lines) {
    batch.push(line)
    if (BATCH_ENDS.has(line.kind)) await flush()
  }
  await flush()
}
