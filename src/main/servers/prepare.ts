import { randomBytes } from 'node:crypto'
import { expandHome, flagValue, type LaunchCommand, startableCommand, writtenCommand } from '../../shared/command/index.ts'
import { redactWords } from '../../shared/secrets/index.ts'
import { SpeedgridError } from '../../shared/model/error.ts'
import type { Inventory } from '../../shared/model/host.ts'
import type { Server } from '../../shared/model/server.ts'
import type { HostLink } from '../ssh/types.ts'
import { chooseProgram } from './environment.ts'
import { type Preflight, preflight } from './preflight.ts'
import { type BaseFolder, resolveBaseFolder } from './remote-folder.ts'
import { startArgv } from './start-argv.ts'
import type { LaunchRequest } from './types.ts'

const DEFAULT_TIMEOUT_MS = 60 * 60_000

/** Everything that is decided before anything is written to the host. */
export interface Prepared {
  command: LaunchCommand
  base: BaseFolder
  check: Preflight
  server: Server
  folder: string
  argv: string[]
  /** Words of `argv` that hold a secret. */
  hidden: number[]
  added: string[]
  apiKey: string
  timeoutMs: number
  /** For the person: what was changed on the way. */
  notes: string[]
}

/** Throws `usage`, `no_vllm`, `read_only`, and `server_failed` where the person's port is taken; nothing has been written then but the base folder. */
export async function prepareLaunch(
  link: HostLink,
  inventory: () => Promise<Inventory>,
  request: LaunchRequest,
): Promise<Prepared> {
  const command = startableCommand({ text: request.text, secrets: request.secrets ?? [] })
  const base = await resolveBaseFolder(link)
  const expand = (word: string) => expandHome(word, base.home)
  const chosen = await chooseProgram(command, request.environment ?? command.chosen, inventory, expand)
  const wantedPort = flagValue(command.args, '--port')
  const check = await preflight(link, chosen.program, wantedPort === undefined ? undefined : Number(wantedPort))
  if (check.program === undefined) {
    throw new SpeedgridError('no_vllm', `there is no executable ${chosen.program} on ${link.hostName}`, {
      nextStep: `See which environments there are: speedgrid inventory ${link.hostName}`,
    })
  }
  if (check.portTaken !== undefined) {
    throw new SpeedgridError('server_failed', `port ${String(check.port)} of ${link.hostName} is in use by another process`, {
      evidence: [check.portTaken],
      nextStep: 'Leave --port out (a free one is chosen), or give another one.',
    })
  }
  const version = check.version ?? chosen.version
  const start = startArgv(command, {
    program: check.program,
    port: check.port,
    home: base.home,
    ...(version === undefined ? {} : { version }),
  })
  const apiKey = command.secrets.get('VLLM_API_KEY') ?? randomBytes(32).toString('hex')
  command.secrets.set('VLLM_API_KEY', apiKey)
  const shown = redactWords(start.argv)
  const id = `srv-${randomBytes(4).toString('hex')}`
  const folder = `${base.path}/servers/${id}`
  const server: Server = {
    id,
    host: link.hostName,
    port: check.port,
    folder,
    logPath: `${folder}/server.log`,
    launchCommand: writtenCommand(command, base.home),
    startedArgv: shown,
    environmentNames: command.environmentNames,
    vllm: check.program,
    adopted: false,
    hasApiKey: true,
    startedAt: new Date().toISOString(),
    ...(request.name === undefined ? {} : { name: request.name }),
    ...(start.address === undefined ? {} : { address: start.address }),
  }
  return {
    command,
    base,
    check,
    server,
    folder,
    argv: start.argv,
    hidden: start.argv.flatMap((word, index) => (word === shown[index] ? [] : [index])),
    added: start.added,
    apiKey,
    timeoutMs: request.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    notes: [...command.notes, ...(base.note === undefined ? [] : [`${base.note}: its files are in ${base.path}`])],
  }
}
