import type { Attempt, PrefillResult } from '../../shared/model/cell.ts'
import type { EngineFacts } from '../../shared/model/engine-facts.ts'
import type { Host, Inventory } from '../../shared/model/host.ts'
import type { Plan } from '../../shared/model/plan.ts'
import type { SweepView } from '../../shared/contract/sweeps.ts'
import type { RunDocument } from '../../shared/model/run.ts'
import type { SpoolLine } from '../../shared/model/spool.ts'
import type { RunState } from '../../shared/model/states.ts'
import type { Outcome, SweepModel } from '../../shared/run/index.ts'
import type { InventoriesStore } from './inventories-store.ts'
import type { LaunchesStore } from './launches-store.ts'
import type { SettingsStore } from './settings-store.ts'
import type { RunChoices, RunFilter, RunPage, RunQuery, RunRow } from '../../shared/contract/runs.ts'
import type { ListOptions } from './run-list/list-runs.ts'

export type { LaunchesStore } from './launches-store.ts'
export type { SettingsStore } from './settings-store.ts'

/** Where the driver of a run lives, so that any engine can find it again. */
export interface DriverLocation {
  place: 'host' | 'tunnel' | 'local'
  host?: string
  /** Server id on that host, or the URL of a server reached directly. */
  serverId?: string
  baseUrl?: string
  /** Run folder: on the host for `host`, else on this machine. */
  folder: string
  /** File that identifies the driver's process (driver.json in the folder) once it runs. */
  epoch: number
}

export interface NewRun {
  id: string
  name: string
  tags: string[]
  plan: Plan
  host?: { name: string; address?: string }
  hardware?: Inventory
  engine?: EngineFacts
  launchCommand?: string
  startedArgv?: string[]
  demo: boolean
}

/** A row of the history, as every front door shows it. */
export type RunSummary = RunRow

/** Engines that share a data folder: a run belongs to the one that holds its lease (ARCHITECTURE.md, "The driver carries out the plan"). */
export interface Lease {
  hostName: string
  pid: number
  startTicks: string
  heartbeatAt: string
}

export interface RunsStore {
  create(run: NewRun): void
  /** Takes back a run whose driver never started. Throws `conflict` once a line of it is stored. */
  discard(id: string): void
  /** By id, a unique prefix of it, name, or `last`. Throws not_found, naming near matches. */
  find(idOrName: string): RunSummary
  /** By its whole id; also from the trash. */
  get(id: string): RunSummary | undefined
  /** Newest first. Without a limit all there are: only for filters that few runs pass. */
  list(options?: ListOptions): RunSummary[]
  page(query: RunQuery): RunPage
  count(filter: Partial<RunFilter>): number
  choices(trashed: boolean): RunChoices
  /** By its whole id only. */
  exact(id: string): { state: RunState } | undefined
  document(id: string): RunDocument
  /** The run as its screens see it, as far as it is stored: the next line goes on from there. */
  sweep(id: string, link: Pick<SweepView, 'link' | 'linkReason' | 'placeNote'>): SweepModel
  setLocation(id: string, location: DriverLocation | undefined): void
  location(id: string): DriverLocation | undefined
  /** Runs that are over whose driver's folder could not be removed yet. */
  leftovers(): { id: string; location: DriverLocation }[]
  /** Runs that go on, as far as the history knows, or were interrupted: their driver or its folder may still be there. */
  unsettled(): { id: string; state: RunState; createdAt: string; location?: DriverLocation }[]
  /** Nobody reads this run: no engine holds its lease, or that engine is gone. */
  isOrphan(id: string): boolean
  /** When its driver or its engine was last heard of; undefined before the first time. */
  lastHeardAt(id: string): string | undefined
  setState(id: string, state: RunState, reason?: string): void
  setTags(id: string, tags: string[]): void
  setNote(id: string, note: string): void
  rename(id: string, name: string): void
  setTrashed(id: string, trashed: boolean): void
  /** Something the engine itself has to say about the run; shown among the driver's events. */
  addEvent(id: string, level: 'info' | 'warn' | 'error', text: string): void
  /** Number of the last spool line stored; 0 before the first. */
  lastLine(id: string): number
  /** Stores lines once each (by run and number), everything of one call in one transaction. Returns how many were new. */
  appendLines(id: string, lines: SpoolLine[]): number
  lines(id: string, afterLine?: number): Iterable<SpoolLine>
  attempts(id: string): Attempt[]
  /** Attempts at one cell, oldest first. */
  attemptsAt(id: string, contextTokens: number, concurrency: number): Attempt[]
  /** Samples of GPUs and server, of a stretch of wall-clock time where one is named. */
  samples(id: string, range?: { fromMs?: number; toMs?: number }): Extract<SpoolLine, { kind: 'sample' }>[]
  prefills(id: string): PrefillResult[]
  /** How every try at a cell ended, oldest first, without the attempts' bulk. */
  outcomes(id: string): Outcome[]
  /** Takes or renews the lease; false where another living engine holds it. */
  takeLease(id: string): boolean
  releaseLease(id: string): void
  /** Who holds the lease now; undefined where it is free. */
  leaseHolder(id: string): Lease | undefined
}

export interface HostsStore {
  list(): Host[]
  save(host: Host): void
  remove(name: string): void
}

/** One SQLite file in the data folder, WAL, migrations by user_version. */
export interface Store {
  readonly dataDir: string
  /** Tells this history from every other; made at the first call. */
  identity(): string
  runs: RunsStore
  hosts: HostsStore
  inventories: InventoriesStore
  launches: LaunchesStore
  settings: SettingsStore
  /** Another number whenever somebody else has written to the file since it was asked last (`PRAGMA data_version`). */
  foreignChanges(): number
  dispose(): void
}
