import type { Registration } from '../program.ts'
import { registerAdopt } from './adopt.ts'
import { registerDemo } from './demo.ts'
import { registerDemoHost } from './demo-host.ts'
import { registerDoctor } from './doctor.ts'
import { registerHosts } from './hosts.ts'
import { registerInventory } from './inventory.ts'
import { registerLaunch } from './launch.ts'
import { registerLogs } from './logs.ts'
import { registerNote } from './note.ts'
import { registerReport } from './report.ts'
import { registerResume } from './resume.ts'
import { registerRuns } from './runs.ts'
import { registerServe } from './serve.ts'
import { registerServers } from './servers.ts'
import { registerShow } from './show.ts'
import { registerStop } from './stop.ts'
import { registerSweep } from './sweep.ts'
import { registerTag } from './tag.ts'
import { registerTrash } from './trash.ts'

/** In the order of the help. A new command: its own file, and a line here. */
export function registerCommands(registration: Registration): void {
  for (const register of [
    registerDemo,
    registerDemoHost,
    registerHosts,
    registerDoctor,
    registerInventory,
    registerLaunch,
    registerServers,
    registerLogs,
    registerStop,
    registerAdopt,
    registerSweep,
    registerResume,
    registerRuns,
    registerShow,
    registerTag,
    registerNote,
    registerTrash,
    registerReport,
    registerServe,
  ]) {
    register(registration)
  }
}
