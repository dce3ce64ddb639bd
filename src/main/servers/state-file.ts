import { z } from 'zod'
import { readJson } from '../../shared/bytes/index.ts'
import { SpeedgridError } from '../../shared/model/error.ts'
import { type ProcessIdentity, type Server, serverSchema } from '../../shared/model/server.ts'
import { OWN_FOLDER } from '../ssh/index.ts'
import type { HostLink } from '../ssh/types.ts'

/** `server.json` in the server's folder on the host, mode 0600. No secret is ever in it. */
const stateFileSchema = z.object({
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
${OWN_FOLDER}
is_file() { [ -f "$1" ] && [ ! -L "$1" ] && [ -O "$1" ]; }
own_bases "$1" | while IFS= read -r base; do
  (
    enter "$base" servers || exit 0
    for name in *; do
      (
        step "$name" && is_file server.json || exit 0
        echo "folder $base/servers/$name"
        echo "real $(pwd -P)"
        is_file identity && printf 'identity %s\\n' "$(head -n 1 identity)"
        printf 'json %s\\n' "$(tr '\\n' ' ' < server.json)"
      )
    done
  )
done
`

export interface StoredServer {
  folder: string
  state: StateFile
}

/**
 * Every server with a state file in a folder of ours, oldest first. Left out: what can't be read as one, what lies in a folder that others
 * could have written, and what was written for another folder. The identity that the start script wrote itself fills in where the engine that launched it died before it could.
 */
export async function readStates(link: HostLink, temporaryFolder = '/tmp'): Promise<StoredServer[]> {
  const result = await link.script(LIST, [temporaryFolder], { timeoutMs: 30_000 })
  const stored: StoredServer[] = []
  let folder = ''
  let real = ''
  let identity: ProcessIdentity | undefined
  for (const line of result.stdout.split('\n')) {
    if (line.startsWith('folder ')) {
      folder = line.slice(7)
      identity = undefined
    } else if (line.startsWith('real ')) {
      real = line.slice(5)
    } else if (line.startsWith('identity ')) {
      identity = readIdentity(line.slice(9))
    } else if (line.startsWith('json ')) {
      const state = parseState(line.slice(5))
      if (state === undefined || !isOf(state, folder, real)) continue
      const server: Server = { ...state.server, host: link.hostName }
      const known = server.identity ?? identity
      stored.push({ folder, state: { ...state, server: { ...server, ...(known === undefined ? {} : { identity: known }) } } })
    }
  }
  return stored.sort((a, b) => a.state.server.startedAt.localeCompare(b.state.server.startedAt))
}

/** A copy of a state file in another folder says nothing about that one. An adopted server's has no folder of its own in it. */
function isOf({ server }: StateFile, folder: string, real: string): boolean {
  if (server.id !== folder.slice(folder.lastIndexOf('/') + 1)) return false
  return server.folder === undefined || server.folder === folder || server.folder === real
}

function parseState(text: string): StateFile | undefined {
  try {
    return stateFileSchema.safeParse(readJson(text)).data
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
