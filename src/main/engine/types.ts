import type { ConnectionStates } from '../hosts/index.ts'
import type { HostsService } from '../hosts/types.ts'
import type { ServersService } from '../servers/types.ts'
import type { SshConnector } from '../ssh/index.ts'
import type { Prompter } from '../ssh/types.ts'
import type { Store } from '../store/types.ts'
import type { SweepService } from '../sweep/types.ts'

export interface EngineOptions {
  dataDir: string
  prompter: Prompter
  /** Home folder whose .ssh is read; the person's. */
  homeDir?: string
  /** Path of the driver bundle (out/driver/driver.mjs). */
  driverPath: string
  /** Paths of the Node binaries that may be brought to a host, by architecture. */
  nodeBinaries?: { x64?: string; arm64?: string }
}

/** The services put together: what every front door talks to. */
export interface Engine {
  store: Store
  hosts: HostsService
  servers: ServersService
  sweeps: SweepService
  /** How the control connections stand. */
  connections: ConnectionStates
  /** What a front door asks SSH itself: aliases of the person's configuration, the keys we have recorded. */
  ssh: Pick<SshConnector, 'configAliases' | 'recordedKeys' | 'forgetKey'>
  dispose(): Promise<void>
}
