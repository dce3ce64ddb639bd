import type { ProcessIdentity } from '../../shared/model/server.ts'
import type { HostLink } from '../ssh/types.ts'

// The key is in this script's output only: not in an argument, not in an environment, not in a file.
const SCRIPT = `
set -u
pid=$1 session=$2 ticks=$3 boot=$4
read -r now < /proc/sys/kernel/random/boot_id
[ "$now" = "$boot" ] || exit 0
{ IFS= read -r stat < "/proc/$pid/stat"; } 2>/dev/null || exit 0
set -f; set -- \${stat##*) }; set +f
[ "\${20}" = "$ticks" ] && [ "$4" = "$session" ] || exit 0
tr '\\000' '\\n' < "/proc/$pid/environ" 2>/dev/null | sed -n 's/^VLLM_API_KEY=//p' | head -n 1
`

/** Reads the API key back from the environment of our server's main process; undefined where that is gone. */
export async function readApiKey(link: HostLink, identity: ProcessIdentity): Promise<string | undefined> {
  const args = [String(identity.pid), String(identity.session), identity.startTicks, identity.bootId]
  const result = await link.script(SCRIPT, args, { timeoutMs: 30_000 })
  const key = result.stdout.trim()
  return key === '' ? undefined : key
}
