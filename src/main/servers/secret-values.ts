import type { ProcessIdentity } from '../../shared/model/server.ts'
import { secretParts } from '../../shared/secrets/index.ts'
import type { HostLink } from '../ssh/types.ts'

// Only of the very process that was started, and only what our own account may read; in this script's output only.
const SCRIPT = `
set -u
pid=$1 session=$2 ticks=$3 boot=$4
read -r now < /proc/sys/kernel/random/boot_id
[ "$now" = "$boot" ] || exit 0
{ IFS= read -r stat < "/proc/$pid/stat"; } 2>/dev/null || exit 0
set -f; set -- \${stat##*) }; set +f
[ "\${20}" = "$ticks" ] && [ "$4" = "$session" ] || exit 0
for file in environ cmdline; do
  od -An -v -tx1 < "/proc/$pid/$file" 2>/dev/null | tr -d ' \\n'
done
exit 0
`

/** The secrets in a running server's environment and arguments, to take them out of its log; none where it is gone or another account's. */
export async function readSecretValues(link: HostLink, identity: ProcessIdentity): Promise<string[]> {
  const args = [String(identity.pid), String(identity.session), identity.startTicks, identity.bootId]
  const result = await link.script(SCRIPT, args, { timeoutMs: 30_000 })
  return secretParts(Buffer.from(result.stdout.trim(), 'hex').toString('utf8').split('\0'))
}
