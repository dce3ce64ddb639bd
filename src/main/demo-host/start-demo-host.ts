import { writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { SpeedgridError } from '../../shared/model/error.ts'
import { createDemoFolder } from './folder.ts'
import type { DemoFolder } from './folder.ts'
import { findMachine, MACHINE_NAMES } from './machines/index.ts'
import type { Machine } from './machines/index.ts'
import { endMarkedProcesses } from './processes.ts'
import { makeKeyPair } from './ssh/key-pair.ts'
import { createSshServer } from './ssh/server.ts'

interface DemoHostOptions {
  /** One of MACHINE_NAMES. */
  machine: string
  /** Of the SSH server; 0 or absent takes a free one. */
  port?: number
  /** Where the machine's folder is made; the system's temporary folder where absent. */
  folder?: string
}

export interface DemoHost {
  machine: string
  address: '127.0.0.1'
  port: number
  user: string
  clientKeyPath: string
  /** `SHA256:…` */
  hostKeyFingerprint: string
  /** In known_hosts form. */
  hostKeyLine: string
  /** The machine's home folder. */
  home: string
  /** A launch command that works there, as words; published, without --host, --port and --api-key. */
  launchWords: string[]
  /** Ends every process that was started through it and removes its folder. Safe to call twice. */
  dispose(): Promise<void>
}

/**
 * Starts the demo lab machine: an SSH server on 127.0.0.1 that behaves like one of the published machines. It is no sandbox: it runs
 * commands of the person's own account, for the one key it has made. Throws `usage` for an unknown machine, a port in use, or off Linux.
 */
export async function startDemoHost(options: DemoHostOptions): Promise<DemoHost> {
  if (process.platform !== 'linux') {
    throw new SpeedgridError('usage', `The demo lab machine runs on Linux only; this is ${process.platform}.`, {
      nextStep: 'Run it on a Linux machine, or add a host of your own: speedgrid hosts add NAME ADDRESS',
    })
  }
  const machine = findMachine(options.machine)
  if (!machine) {
    throw new SpeedgridError('usage', `There is no demo machine called "${options.machine}".`, {
      evidence: [`There are: ${MACHINE_NAMES.join(', ')}`],
    })
  }
  const folder = createDemoFolder(machine, options.folder)
  try {
    return await serve(machine, folder, options.port ?? 0)
  } catch (error) {
    folder.dispose()
    throw error
  }
}

async function serve(machine: Machine, folder: DemoFolder, wantedPort: number): Promise<DemoHost> {
  const user = userInfo().username
  const clientKeys = makeKeyPair(`speedgrid demo ${machine.name}`)
  const clientKeyPath = join(folder.root, 'client_key')
  writeFileSync(clientKeyPath, clientKeys.private, { mode: 0o600 })
  writeFileSync(`${clientKeyPath}.pub`, `${clientKeys.public.trim()}\n`, { mode: 0o600 })
  const server = await createSshServer({
    user,
    port: wantedPort,
    clientPublicKey: clientKeys.public,
    home: folder.home,
    environment: commandEnvironment(user, folder),
  })
  let disposed: Promise<void> | undefined
  const dispose = async () => {
    await server.dispose()
    const left = await endMarkedProcesses(folder.id)
    folder.dispose()
    if (left.length > 0)
      throw new SpeedgridError('internal', `Processes of the demo machine could not be ended: ${left.join(', ')}`)
  }
  return {
    machine: machine.name,
    address: '127.0.0.1',
    port: server.port,
    user,
    clientKeyPath,
    hostKeyFingerprint: server.hostKeyFingerprint,
    hostKeyLine: `[127.0.0.1]:${server.port} ${server.hostKey}`,
    home: folder.home,
    launchWords: machine.launchWords,
    dispose: () => (disposed ??= dispose()),
  }
}

/** As bare as sshd's, so that nothing of the person's own environment (keys among it) reaches a command. */
function commandEnvironment(user: string, folder: DemoFolder): Record<string, string> {
  const environment: Record<string, string> = {
    HOME: folder.home,
    USER: user,
    LOGNAME: user,
    SHELL: '/bin/sh',
    LANG: 'C.UTF-8',
    PATH: `${folder.bin}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
    TMPDIR: join(folder.root, 'tmp'),
    SPEEDGRID_DEMO_HOST: folder.id,
  }
  for (const name of ['SPEEDGRID_DEMO_FAULT', 'SPEEDGRID_DEMO_START_SECONDS']) {
    const value = process.env[name]
    if (value) environment[name] = value
  }
  return environment
}
