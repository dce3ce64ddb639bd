import { randomBytes } from 'node:crypto'
import { writeWords } from '../../shared/command/index.ts'
import { homeAsVariable } from '../../shared/format/index.ts'
import { redactWords } from '../../shared/secrets/index.ts'
import { SpeedgridError } from '../../shared/model/error.ts'
import type { ProcessIdentity, Server } from '../../shared/model/server.ts'
import type { HostLink } from '../ssh/types.ts'
import { get, readModels } from './http.ts'
import { type ListenerView, viewListener } from './listener.ts'
import { makeOwnFolder, resolveBaseFolder } from './remote-folder.ts'
import { type Facts, runFacts } from './remote-script.ts'
import { readStates, writeState } from './state-file.ts'

// Of the processes that hold the listening socket, the one whose parent holds it not: API servers inherit it from the main process.
const SCRIPT = `
set -u
hex=$(printf '%04X' "$1")
read -r boot < /proc/sys/kernel/random/boot_id
echo "boot $boot"
echo "node $(uname -n)"
cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk -v port="$hex" '$4 == "0A" { n = split($2, a, ":"); if (a[n] == port) print $10 }' |
while read -r inode; do
  echo "listening $inode"
  pids=" $(ls -l /proc/[0-9]*/fd 2>/dev/null | awk -v s="socket:[$inode]" '/^\\/proc/ { split($1, p, "/") } $NF == s { print p[3] }' | sort -nu | tr '\\n' ' ')"
  for pid in $pids; do
    { IFS= read -r stat < "/proc/$pid/stat"; } 2>/dev/null || continue
    set -f; set -- \${stat##*) }; set +f
    case $pids in *" $2 "*) continue ;; esac
    echo "process $pid $4 \${20}"
    echo "argv $(od -An -v -tx1 < "/proc/$pid/cmdline" | tr -d ' \\n')"
    log=$(readlink "/proc/$pid/fd/1" 2>/dev/null)
    [ -f "$log" ] && echo "log $log"
    break
  done
done
exit 0
`

/**
 * A record of a server that somebody else started: it is read and measured, never signalled. The key is not written down.
 * Throws `not_found` (nothing listens), `conflict` (it is one of ours), `unauthorized`, `http` (not an OpenAI-compatible server).
 */
export async function adoptServer(
  link: HostLink,
  port: number,
  options: { apiKey?: string; name?: string; user?: string } = {},
): Promise<Server> {
  const base = await resolveBaseFolder(link)
  const stored = await readStates(link)
  const facts = await runFacts(link, 'looking for the server', SCRIPT, [String(port)])
  const identity = readProcess(facts)
  const same = stored.filter(({ state }) => state.server.port === port)
  const ours = same.find(
    ({ state }) => !state.server.adopted && identity !== undefined && state.server.identity?.session === identity.session,
  )
  if (ours !== undefined) {
    throw new SpeedgridError(
      'conflict',
      `the server at port ${String(port)} was started by Speedgrid: it is ${ours.state.server.id}`,
      {
        nextStep: 'Use it by that id.',
      },
    )
  }
  const listener = await viewListener(link, { id: '', port, adopted: true, ...(identity === undefined ? {} : { identity }) })
  if (options.apiKey !== undefined) refuseStranger(link, port, listener, options.user)
  await checkApi(link, port, facts.one('listening') !== undefined, options.apiKey)
  const before = same.find(({ state }) => state.server.adopted)
  const id = before?.state.server.id ?? `srv-${randomBytes(4).toString('hex')}`
  const folder = before?.folder ?? `${base.path}/servers/${id}`
  const argv = redactWords(readArgv(facts.one('argv')))
  const log = facts.one('log')
  const server: Server = {
    id,
    host: link.hostName,
    port,
    adopted: true,
    hasApiKey: options.apiKey !== undefined,
    startedAt: new Date().toISOString(),
    ...(options.name === undefined ? {} : { name: options.name }),
    ...(identity === undefined ? {} : { identity }),
    ...(listener.uid === undefined ? {} : { listenerUid: listener.uid }),
    ...(argv.length === 0 ? {} : { startedArgv: argv, launchCommand: homeAsVariable(writeWords(argv), base.home) }),
    ...(log === undefined ? {} : { logPath: log }),
  }
  await makeOwnFolder(link, folder)
  await writeState(link, folder, { schema: 'speedgrid.server/1', server, addedFlags: [] })
  return server
}

/** A key goes to another account only where the person has named it. */
function refuseStranger(link: HostLink, port: number, listener: ListenerView, user: string | undefined): void {
  if (listener.state !== 'other' || (user !== undefined && [String(listener.uid), listener.name].includes(user))) return
  throw new SpeedgridError(
    'conflict',
    `port ${String(port)} of ${link.hostName} is listened on by ${listener.who ?? 'somebody else'}, not by your account`,
    {
      evidence: ['the key was not sent'],
      nextStep: `If it is that account's server you mean: speedgrid adopt ${link.hostName} --port ${String(port)} --user ${listener.name ?? String(listener.uid)} --api-key-env NAME`,
    },
  )
}

function readProcess(facts: Facts): ProcessIdentity | undefined {
  const [pid, session, startTicks] = facts.one('process')?.split(' ') ?? []
  const bootId = facts.one('boot')
  const hostName = facts.one('node')
  if (pid === undefined || session === undefined || startTicks === undefined || bootId === undefined || hostName === undefined)
    return undefined
  return { pid: Number(pid), session: Number(session), startTicks, bootId, hostName }
}

function readArgv(hex: string | undefined): string[] {
  const words = Buffer.from(hex ?? '', 'hex')
    .toString('utf8')
    .split('\0')
  return words.at(-1) === '' ? words.slice(0, -1) : words
}

async function checkApi(link: HostLink, port: number, listening: boolean, apiKey: string | undefined): Promise<void> {
  const models = await get(link, { port }, '/v1/models', apiKey === undefined ? {} : { apiKey })
  if (models.state === 'refused') {
    throw new SpeedgridError('not_found', `nothing answers on port ${String(port)} of ${link.hostName}`, {
      evidence: [listening ? `something listens there, but: ${models.reason}` : 'nothing listens there'],
      nextStep: 'Check the port (ss -ltn on the host); a server that is still loading does not answer yet.',
    })
  }
  if (models.status === 401 || models.status === 403) {
    throw new SpeedgridError(
      'unauthorized',
      `the server at port ${String(port)} wants ${apiKey === undefined ? 'an API key' : 'another API key'}`,
      {
        evidence: [`GET /v1/models: ${String(models.status)}`],
        nextStep: 'Give the key in an environment variable: --api-key-env NAME.',
      },
    )
  }
  if (models.status !== 200 || readModels(models.body) === undefined) {
    throw new SpeedgridError('http', `what answers on port ${String(port)} is not an OpenAI-compatible server`, {
      evidence: [`GET /v1/models: ${String(models.status)} ${models.body.slice(0, 120).replaceAll(/\s+/g, ' ')}`],
    })
  }
}
