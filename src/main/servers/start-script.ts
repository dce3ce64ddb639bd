import { createHash } from 'node:crypto'
import { hostReference, quoteWord } from '../../shared/command/index.ts'
import { OWN_FOLDER, ownLevels } from '../ssh/index.ts'

interface StartScriptInput {
  id: string
  /** Environment without secrets; a name that comes twice: the last one wins. */
  environment: readonly { name: string; value: string }[]
  /** Put first in PATH. */
  binFolders: readonly string[]
  argv: readonly string[]
  /** Words of `argv` that hold a secret: they come with the secrets and are in no file. */
  hidden?: readonly number[]
}

/** Environment marker of every process of a server of ours, so that orphans can be told from strangers when the leader is gone. */
export const SERVER_MARKER = 'SPEEDGRID_SERVER'

/**
 * The start script, made from an argument list. `sh start.sh` starts itself again (`run`) in a session of its own and prints one line
 * about it: pid, session, start ticks, boot id, host name. Secrets come over standard input, `NAME=value` a line and a full stop at the
 * end; they are exported as data, so they are never part of any argument list, file or other session's environment.
 */
export function startScript(input: StartScriptInput): string {
  const exports = input.environment.map(({ name, value }) => `export ${name}=${onHost(value)}`)
  const hidden = new Set(input.hidden)
  const words = input.argv.map((word, index) => (hidden.has(index) ? hiddenWord(word, index) : onHost(word)))
  const names = [...hidden].flatMap((index) => [...hiddenLines(input.argv[index] ?? '', index).keys()])
  const path = input.binFolders.map((folder) => `${quoteWord(folder)}:`).join('')
  return `#!/bin/sh
# Speedgrid server ${input.id}: sh start.sh, secrets over standard input. Not meant to be run by hand.
if [ "\${1-}" != run ]; then
  mask=$(umask)
  umask 077
  exec 3<&0
  # From the first moment: whoever looks at the process sees whose it is.
  ${SERVER_MARKER}=${quoteWord(input.id)}
  export ${SERVER_MARKER}
  identity=$({ setsid sh ./start.sh run "$mask" 4>&1 <&3 3<&- >>server.log 2>&1 & })
  printf '%s\\n' "$identity"
  exit 0
fi

mask=$2
read -r stat < "/proc/$$/stat" || exit 1
read -r boot < /proc/sys/kernel/random/boot_id || exit 1
set -f
set -- \${stat##*) }
set +f
identity="$$ $4 \${20} $boot $(uname -n)"
umask 077
printf '%s\\n' "$identity" > identity || exit 1
complete=
while IFS= read -r line; do
  [ "$line" = . ] && { complete=yes; break; }
  export "$line"
done
[ -n "$complete" ] || { echo 'speedgrid: the secrets did not arrive' >&2; exit 1; }
umask "$mask"
${exports.join('\n')}
export ${SERVER_MARKER}=${quoteWord(input.id)}
PATH=${path}"$PATH"
export PATH
cd -- "\${HOME:-/}" || cd /
# The starter waits for this line: whoever has it knows that the secrets have arrived.
printf '%s\\n' "$identity" >&4
exec 4>&-
set -- ${words.join(' ')}
${names.length === 0 ? '' : `unset ${names.join(' ')}\n`}exec "$@" </dev/null
`
}

const START = `
set -u
${OWN_FOLDER}
enter "$1" "$2" "$3" || { echo "$why" >&2; exit 1; }
sum=$(sha256sum start.sh) || exit 1
[ "\${sum%% *}" = "$4" ] || { echo "start.sh is not the one that was sent" >&2; exit 1; }
exec sh start.sh
`

/** A word for the script; the host's own variables (`${PATH}`, `${USER}` …) are put in there, as only the host knows them. */
function onHost(word: string): string {
  const pieces = word.split(hostReference())
  if (pieces.length === 1) return quoteWord(word)
  return pieces.map((piece, index) => (index % 2 === 1 ? `"\${${piece}-}"` : piece === '' ? '' : quoteWord(piece))).join('')
}

/** The command that runs a script that was sent: from inside its folder, and only where it is the very one. */
export function startCommand(folder: string, script: string): string[] {
  return ['sh', '-c', START, 'speedgrid-start', ...ownLevels(folder), createHash('sha256').update(script).digest('hex')]
}

/** The lines of a word, each a variable of its own: what comes over standard input has a line for each. */
function hiddenLines(word: string, index: number): Map<string, string> {
  return new Map(word.split('\n').map((line, part) => [`SPEEDGRID_WORD_${String(index)}_${String(part)}`, line]))
}

const hiddenWord = (word: string, index: number) => [...hiddenLines(word, index).keys()].map((name) => `"$${name}"`).join("'\n'")

/** What standard input has to bring for the hidden words of an argument list. */
export function hiddenWords(argv: readonly string[], hidden: readonly number[]): Map<string, string> {
  return new Map(hidden.flatMap((index) => [...hiddenLines(argv[index] ?? '', index)]))
}

/** Standard input for the script: one `NAME=value` a line, then the full stop. Values hold no line breaks (checked by launchCommand). */
export function secretLines(secrets: ReadonlyMap<string, string>): string {
  return `${[...secrets].map(([name, value]) => `${name}=${value}\n`).join('')}.\n`
}
