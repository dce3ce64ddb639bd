import type { AppApi } from './app.ts'
import type { HostsApi } from './hosts.ts'
import type { PromptsApi } from './prompts.ts'
import type { ReportsApi } from './reports.ts'
import type { RunsApi } from './runs.ts'
import type { ServersApi } from './servers.ts'
import type { SweepsApi } from './sweeps.ts'

/** What the renderer may ask for. The engine implements it; the router carries it. */
export interface EngineApi {
  app: AppApi
  hosts: HostsApi
  prompts: PromptsApi
  servers: ServersApi
  sweeps: SweepsApi
  runs: RunsApi
  reports: ReportsApi
}
