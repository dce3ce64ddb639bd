import { OWN_FOLDER } from '../../ssh/index.ts'
import { ENVIRONMENTS_SCRIPT } from './script-environments.ts'
import { GPUS_SCRIPT } from './script-gpus.ts'
import { SYSTEM_SCRIPT } from './script-system.ts'

/**
 * One POSIX sh script, one round trip. It prints sections: a line `@@ NAME`, then lines `key rest`. It changes nothing on the host, reads
 * no secret, and every foreign program it starts has a time limit. Arguments: paths of `vllm` executables to look at first.
 */
export const INVENTORY_SCRIPT = `
set -u
LC_ALL=C; export LC_ALL
${OWN_FOLDER}
section() { printf '@@ %s\\n' "$1"; }
limited() {
  seconds=$1; shift
  if command -v timeout >/dev/null 2>&1; then timeout -k 2 "$seconds" "$@" </dev/null; else "$@" </dev/null; fi
}
${SYSTEM_SCRIPT}
${GPUS_SCRIPT}
${ENVIRONMENTS_SCRIPT}
section end
`
