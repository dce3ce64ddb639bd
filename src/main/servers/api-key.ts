import type { ProcessIdentity } from '../../shared/model/server.ts'
import { OWN_PROCESS } from '../ssh/index.ts'
import type { HostLink } from '../ssh/types.ts'
import { markOf } from './session.ts'

// The key is in this script's output only: not in an argument, not in an environment, not in a file.
const SCRIPT = `
set -u
${OWN_PROCESS}
[ -z "$(elsewhere "$5" "$4")" ] && [ "$1" = "$2" ] && is_running "$1" "$2" "$3" && is_marked "$1" "$6" || exit 0
tr '\\000' '\\n' < "/proc/$1/environ" 2>/dev/null | sed -n 's/^VLLM_API_KEY=//p' | head -n 1
`

/** Reads the API key back from the environment of our server's main process; undefined where that is gone or doesn't carry our mark. */
export async function readApiKey(link: HostLink, id: string, identity: ProcessIdentity): Promise<string | undefined> {
  const { pid, session, startTicks, bootId, hostName } = identity
  const args = [String(pid), String(session), startTicks, bootId, hostName, markOf(id)]
  const result = await link.script(SCRIPT, args, { timeoutMs: 30_000 })
  const key = result.stdout.trim()
  return key === '' ? undefined : key
}
