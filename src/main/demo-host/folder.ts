import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Machine } from './machines/index.ts'
import { nodeArguments, standInPath } from './node-command.ts'
import type { StandIn } from './node-command.ts'
import { killMarkedProcesses } from './processes.ts'

const PREFIX = 'speedgrid-demo-'
/** Tells a later demo host which processes belong to the folder of one that was killed. */
const ID_FILE = 'id'

export interface DemoFolder {
  /** Marks every process that was started through this demo host. */
  id: string
  root: string
  home: string
  /** First on PATH of every command. */
  bin: string
  state: string
  dispose(): void
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Makes the machine's home, executables and state under a fresh folder of mode 0700 in `parent`. */
export function createDemoFolder(machine: Machine, parent = tmpdir()): DemoFolder {
  mkdirSync(parent, { recursive: true })
  removeLeftovers(parent)
  const root = mkdtempSync(join(parent, `${PREFIX}${process.pid}-`))
  chmodSync(root, 0o700)
  const paths = { root, home: join(root, 'home'), bin: join(root, 'bin'), state: join(root, 'state') }
  for (const path of [paths.home, paths.bin, paths.state, join(root, 'tmp')]) mkdirSync(path, { mode: 0o700 })
  const folder: DemoFolder = {
    ...paths,
    id: randomBytes(8).toString('hex'),
    dispose: () => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  }
  try {
    writeFileSync(join(root, ID_FILE), folder.id, { mode: 0o600 })
    writeExecutables(machine, folder)
    writeModelCache(machine, folder.home)
  } catch (error) {
    folder.dispose()
    throw error
  }
  return folder
}

/** What a demo host that was killed hard left behind: folders of this account whose process is gone, and what was started through it. */
function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1]
    if (!pid || existsSync(`/proc/${pid}`)) continue
    const path = join(parent, name)
    try {
      if (statSync(path).uid !== process.getuid?.()) continue
      const idFile = join(path, ID_FILE)
      if (existsSync(idFile)) killMarkedProcesses(readFileSync(idFile, 'utf8'))
      rmSync(path, { recursive: true, force: true })
    } catch {
      // Somebody else is removing it at this moment.
    }
  }
}

function writeExecutables(machine: Machine, folder: DemoFolder): void {
  // Node takes a file without an extension as a module only below a package.json that says so; and it must be called `vllm`,
  // since the command line of a real server's process ends in `…/bin/vllm serve MODEL …`.
  const shims = join(folder.root, 'stand-in', 'bin')
  mkdirSync(shims, { recursive: true, mode: 0o700 })
  writeFileSync(join(dirname(shims), 'package.json'), '{ "type": "module" }\n')
  const environmentBin = join(folder.home, machine.environmentFolder, 'bin')
  mkdirSync(environmentBin, { recursive: true, mode: 0o700 })
  const wrapper = (name: StandIn) => {
    const program = standInPath(name)
    const shim = join(shims, name)
    writeFileSync(shim, `import ${JSON.stringify(pathToFileURL(program).href)}\n`)
    const variables = { ...standInVariables(machine, folder), ...electronVariables() }
    const exports = Object.entries(variables).map(([key, value]) => `export ${key}=${quote(value)}`)
    const command = [process.execPath, ...nodeArguments(program), shim].map(quote).join(' ')
    return `#!/bin/sh\n# Stand-in of Speedgrid's demo lab machine; no real ${name}.\n${exports.join('\n')}\nexec ${command} "$@"\n`
  }
  writeFileSync(join(environmentBin, 'vllm'), wrapper('vllm'), { mode: 0o755 })
  writeFileSync(join(folder.bin, 'nvidia-smi'), wrapper('nvidia-smi'), { mode: 0o755 })
  symlinkSync(join(environmentBin, 'vllm'), join(folder.bin, 'vllm'))
  if (!process.versions.electron) symlinkSync(process.execPath, join(folder.bin, 'node'))
}

function standInVariables(machine: Machine, folder: DemoFolder): Record<string, string> {
  return {
    SPEEDGRID_DEMO_HOST: folder.id,
    SPEEDGRID_DEMO_MACHINE: machine.name,
    SPEEDGRID_DEMO_STATE: folder.state,
    SPEEDGRID_DEMO_PID: String(process.pid),
  }
}

function electronVariables(): Record<string, string> {
  return process.versions.electron ? { ELECTRON_RUN_AS_NODE: '1' } : {}
}

/** The cache folder that a machine has after one start of the model, so that an inventory finds it. */
function writeModelCache(machine: Machine, home: string): void {
  const hub = join(home, '.cache', 'huggingface', 'hub', `models--${machine.model.replaceAll('/', '--')}`)
  const snapshot = join(hub, 'snapshots', 'main')
  mkdirSync(snapshot, { recursive: true, mode: 0o700 })
  const config = { architectures: [machine.architecture], max_position_embeddings: machine.maxModelLen, torch_dtype: 'bfloat16' }
  writeFileSync(join(snapshot, 'config.json'), `${JSON.stringify(config, null, 2)}\n`)
}
