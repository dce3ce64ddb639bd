import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { SpeedgridError } from '../../shared/model/error.ts'
import { fileLimit, isFileLimit } from '../../shared/model/file-limit.ts'
import type { Job } from '../../shared/model/job.ts'
import { type FolderOwner, writeOwner } from './folder-owner.ts'
import { createLocalFolder } from './run-folder.ts'
import { attachLocalDriver, readLogTail, type RunningDriver, type Way } from './running-driver.ts'

const START_LIMIT_MS = 30_000

/** Nothing else of our environment is the driver's business: the person's keys may be in there. */
const PASSED_ON =
  'PATH HOME LANG LC_ALL TZ TMPDIR TEMP TMP SystemRoot USERPROFILE NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR'.split(' ')

interface BesideStart {
  place: 'tunnel' | 'local'
  folderPath: string
  driverPath: string
  job: Job
  owner: FolderOwner
  apiKey?: string
  /** What has to go on while the driver lives; `send` writes a line to its standard input. */
  feed?: (send: (line: object) => void) => { dispose(): void }
  /** The way to the server, where it is ours. */
  tunnel?: Way
  /** Closed once the driver is let go of (the tunnel). */
  dispose?: () => Promise<void>
}

/** Starts the driver as a child of this process. It ends with us: its standard input stays open for as long as we live. */
export async function startBeside(start: BesideStart): Promise<RunningDriver> {
  const { apiKey } = start
  const folder = createLocalFolder(start.folderPath)
  let child: ChildProcess | undefined
  let feed: { dispose(): void } | undefined
  const release = async () => {
    feed?.dispose()
    child?.stdin?.end()
    await start.dispose?.()
  }
  try {
    await folder.make()
    await writeOwner(folder, start.owner)
    await folder.write('job.json', JSON.stringify(start.job))
    child = spawnDriver(start, folder.path)
    const { stdin } = child
    stdin?.on('error', () => undefined)
    const send = (line: object) => {
      if (stdin?.writable === true) stdin.write(`${JSON.stringify(line)}\n`)
    }
    send({ kind: 'secret', ...(apiKey === undefined ? {} : { apiKey }) })
    const driver = attachLocalDriver(start.place, folder, release, start.tunnel)
    await waitForStart(child, driver)
    feed = start.feed?.(send)
    return driver
  } catch (error) {
    child?.kill('SIGKILL')
    const evidence = await readLogTail(folder, apiKey).catch(() => [])
    await release().catch(() => undefined)
    await folder.remove().catch(() => undefined)
    throw error instanceof SpeedgridError && error.code === 'internal'
      ? new SpeedgridError(error.code, error.message, { evidence })
      : explain(error)
  }
}

function spawnDriver(start: BesideStart, folderPath: string): ChildProcess {
  const env: Record<string, string> = {}
  for (const name of PASSED_ON) {
    const value = process.env[name]
    if (value !== undefined) env[name] = value
  }
  if (process.versions.electron !== undefined) env.ELECTRON_RUN_AS_NODE = '1'
  const log = openSync(join(folderPath, 'driver.log'), 'a', 0o600)
  try {
    // Its own session: Ctrl-C at our terminal is for us, and we tell the driver.
    return spawn(process.env.SPEEDGRID_NODE ?? process.execPath, [start.driverPath, folderPath], {
      cwd: folderPath,
      detached: true,
      env,
      stdio: ['pipe', log, log],
    })
  } finally {
    closeSync(log)
  }
}

async function waitForStart(child: ChildProcess, driver: RunningDriver): Promise<void> {
  let failure: string | undefined
  child.once('error', (error) => (failure = error.message))
  child.once('exit', (code, signal) => (failure = `it ended with ${signal ?? String(code)}`))
  for (const startedAt = Date.now(); Date.now() - startedAt < START_LIMIT_MS; ) {
    if ((await driver.folder.read('driver.json')).length > 0) return
    if (failure !== undefined) throw new SpeedgridError('internal', `The driver did not start: ${failure}`)
    await delay(20)
  }
  throw new SpeedgridError('internal', 'The driver did not start in time')
}

function explain(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (error instanceof SpeedgridError || typeof code !== 'string') return error
  const detail = { evidence: [error instanceof Error ? error.message : ''], from: error }
  if (isFileLimit(error)) return fileLimit(error, "the driver can't be started")
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new SpeedgridError('disk_full', 'The disk of the data folder is full', { ...detail, nextStep: 'Make room there.' })
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return new SpeedgridError('read_only', 'The data folder is not writable', {
      ...detail,
      nextStep: 'Choose another with --data-dir.',
    })
  }
  return error
}
