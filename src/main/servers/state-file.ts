import { z } from 'zod'
import { SpeedgridError } from '../../shared/model/error.ts'
import { type ProcessIdentity, type Server, serverSchema } from '../../shared/model/server.ts'
import type { HostLink } from '../ssh/types.ts'

/** `server.json` in the server's folder on the host, mode 0600. No secret is ever in it. */
export const stateFileSchema = z.object({
  schema: z.literal('speedgrid.server/1'),
  server: serverSchema,
  /** Flags that were added to the person's, as in startedArgv. */
  addedFlags: z.array(z.string()).default([]),
  /** When it answered for the first time. */
  readyAt: z.iso.datetime().optional(),
})
export type StateFile = z.infer<typeof stateFileSchema>

export async function writeState(link: HostLink, folder: string, state: StateFile): Promise<void> {
  await link.files.write(`${folder}/server.json`, `${JSON.stringify(stateFileSchema.parse(state), null, 2)}\n`, 0o600)
}

const LIST = `
set -u
uid=$(id -u)
for base in "$@"; do
  for folder in "$base"/servers/*; do
    [ -f "$folder/server.json" ] || continue
    facts=$(ls -ldn -- "$folder") || continue
    set -f; set -- $facts; set +f
    [ "$3" = "$uid" ] || continue
    echo "folder $folder"
    [ -f "$folder/identity" ] && printf 'identity %s\\n' "$(head -n 1 "$folder/identity")"
    printf 'json %s\\n' "$(tr '\\n' ' ' < "$folder/server.json")"
  done
done
`

export interface StoredServer {
  folder: string
  state: StateFile
}

/**
 * Every server with a state file below the given places, oldest first. A file that can't be read as one is left out.
 * The identity that the start script wrote itself fills in where the engine that launched it died before it could.
 */
export async function readStates(link: HostLink, places: readonly string[]): Promise<StoredServer[]> {
  const result = await link.script(LIST, places, { timeoutMs: 30_000 })
  const stored: StoredServer[] = []
  let folder = ''
  let identity: ProcessIdentity | undefined
  for (const line of result.stdout.split('\n')) {
    if (line.startsWith('folder ')) {
      folder = line.slice(7)
      identity = undefined
    } else if (line.startsWith('identity ')) {
      identity = readIdentity(line.slice(9))
    } else if (line.startsWith('json ')) {
      const state = parseState(line.slice(5))
      if (state === undefined) continue
      const server: Server = { ...state.server, host: link.hostName }
      const known = server.identity ?? identity
      stored.push({ folder, state: { ...state, server: { ...server, ...(known === undefined ? {} : { identity: known }) } } })
    }
  }
  return stored.sort((a, b) => a.state.server.startedAt.localeCompare(b.state.server.startedAt))
}

function parseState(text: string): StateFile | undefined {
  try {
    return stateFileSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** The line that the start script prints: pid, session, start ticks, boot id, host name. */
export function readIdentity(line: string): ProcessIdentity | undefined {
  const [, pid, session, startTicks, bootId, hostName] = /^(\d+) (\d+) (\d+) (\S+) (\S+)\s*$/.exec(line) ?? []
  if (pid === undefined || startTicks === undefined || bootId === undefined || hostName === undefined) return undefined
  return { pid: Number(pid), session: Number(session), startTicks, bootId, hostName }
}

export function pickServer(stored: readonly StoredServer[], hostName: string, idOrName: string): StoredServer {
  const exact = stored.filter(({ state }) => state.server.id === idOrName || state.server.name === idOrName)
  const found = exact.length > 0 ? exact : stored.filter(({ state }) => state.server.id.startsWith(idOrName))
  const [first] = found
  if (first !== undefined && found.length === 1) return first
  const there = stored.map(({ state }) => `${state.server.id}${state.server.name === undefined ? '' : ` (${state.server.name})`}`)
  const cause =
    found.length > 1 ? `"${idOrName}" means several servers on ${hostName}` : `there is no server "${idOrName}" on ${hostName}`
  throw new SpeedgridError('not_found', cause, {
    evidence:
      found.length > 1
        ? found.map(({ state }) => state.server.id)
        : there.length > 0
          ? [`there: ${there.join(', ')}`]
          : ['no server is recorded there'],
    nextStep: `See: speedgrid servers ${hostName}`,
  })
}
