import type { SweepEvent, SweepView } from '../../../shared/contract/sweeps.ts'
import type { Inventory } from '../../../shared/model/host.ts'

/** What the terminal draws: the run as every screen sees it, and what only this terminal knows. */
export interface Picture {
  view: SweepView
  /** What this command itself has to say, among the events. */
  notes: SweepEvent[]
  /** When the estimate last changed, by our clock. */
  saidAtMs?: number
  /** The host's GPUs, for their memory. */
  gpus: Inventory['gpus']
}

/** What a grid is drawn from; of a run that is over its document has it all. */
export type GridParts = Pick<SweepView, 'contexts' | 'concurrency' | 'cells' | 'prefill' | 'live' | 'windowSeconds'>
