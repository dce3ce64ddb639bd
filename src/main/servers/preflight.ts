import { SpeedgridError } from '../../shared/model/error.ts'
import type { HostLink } from '../ssh/types.ts'
import { runFacts } from './remote-script.ts'

/** What has to be known on the host before a server is started. */
export interface Preflight {
  nodeName: string
  bootId: string
  /** Absolute path of the executable, or undefined where there is none. */
  program?: string
  /** Folders to put first in PATH: the program's, and its Python's. */
  binFolders: string[]
  /** Of the installed distribution, where the program leads to one. */
  version?: string
  port: number
  /** Who listens on the port that the person gave. */
  portTaken?: string
  /** Processes killed for want of memory since boot: compared with the count after a failure. */
  oomKills?: number
}

const SCRIPT = `
set -u
program=$1 wanted=$2
shift 2
echo "node $(uname -n)"
read -r boot < /proc/sys/kernel/random/boot_id && echo "boot $boot"
awk '$1 == "oom_kill" { print "oom", $2 }' /proc/vmstat
command -v setsid > /dev/null || echo "missing setsid"

case $program in
  */*) [ -x "$program" ] && [ ! -d "$program" ] && found=$program || found= ;;
  *) found=$(command -v "$program" 2>/dev/null) || found= ;;
esac
case $found in
  '') ;;
  /*) ;;
  *) found=$PWD/$found ;;
esac
if [ -n "$found" ]; then
  echo "program $found"
  echo "bin \${found%/*}"
  # Through at most two wrappers to the interpreter that runs it.
  script=$found python=
  for step in 1 2 3; do
    case \${script##*/} in python*) python=$script; break ;; esac
    line=$(head -c 300 "$script" 2>/dev/null | tr -d '\\000' | head -n 1)
    case $line in
      '#!'*python*) python=\${line#'#!'}; python=\${python# }; python=\${python%% *}; break ;;
      '#!'*sh*)
        next=$(sed -n 's/^ *exec *"\\{0,1\\}\\(\\/[^"]*\\/\\(vllm\\|python[0-9.]*\\)\\)"\\{0,1\\}\\( .*\\)\\{0,1\\}$/\\1/p' "$script" 2>/dev/null | head -n 1)
        [ -n "$next" ] || next=$(sed -n "s/^'''exec' *\\"\\{0,1\\}\\(\\/[^\\"]*\\/python[0-9.]*\\).*/\\1/p" "$script" 2>/dev/null | head -n 1)
        [ -n "$next" ] || break
        script=$next ;;
      *) break ;;
    esac
  done
  case $python in
    */*)
      echo "bin \${python%/*}"
      for info in "\${python%/*}"/../lib/python3*/site-packages/vllm-*.dist-info; do
        [ -d "$info" ] || continue
        version=\${info##*/vllm-}
        echo "version \${version%.dist-info}"
      done ;;
  esac
fi

# Listening ports, as hexadecimal numbers with a space on either side.
listening=" $(cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk '$4 == "0A" { n = split($2, a, ":"); print a[n], $8, $10 }' | tr '\\n' ';') "
if [ "$wanted" != 0 ]; then
  hex=$(printf '%04X' "$wanted")
  case $listening in
    *[\\ \\;]"$hex "*)
      entry=\${listening#*[ \\;]"$hex "}; entry=\${entry%%;*}
      owner=$(ls -l /proc/[0-9]*/fd 2>/dev/null | awk -v s="socket:[\${entry#* }]" '/^\\/proc/ { split($1, p, "/") } $NF == s { print p[3]; exit }')
      if [ -n "$owner" ]; then printf 'taken process %s (%s)\\n' "$owner" "$(tr '\\000\\n' '  ' < "/proc/$owner/cmdline" | cut -c 1-60)"
      else echo "taken a process of user id \${entry% *}"; fi ;;
  esac
  echo "port $wanted"
else
  for port in "$@"; do
    hex=$(printf '%04X' "$port")
    case $listening in *[\\ \\;]"$hex "*) ;; *) echo "port $port"; break ;; esac
  done
fi
exit 0
`

/** Below Linux' ephemeral range (32768…), so that no outgoing connection takes the port between the choice and the start. */
function candidates(count: number): string[] {
  return Array.from({ length: count }, () => String(20_000 + Math.floor(Math.random() * 12_000)))
}

/** `wantedPort` is the person's, else a free one is chosen. Throws `remote` where the host lacks setsid or /proc. */
export async function preflight(link: HostLink, program: string, wantedPort: number | undefined): Promise<Preflight> {
  const facts = await runFacts(link, 'looking at the host', SCRIPT, [program, String(wantedPort ?? 0), ...candidates(30)])
  const nodeName = facts.one('node')
  const bootId = facts.one('boot')
  const missing = facts.one('missing')
  if (nodeName === undefined || bootId === undefined || missing !== undefined) {
    throw new SpeedgridError('remote', `${link.hostName} can't run detached servers: ${missing ?? '/proc'} is missing`, {
      nextStep: 'Install util-linux (setsid) on the host; Linux is needed.',
    })
  }
  const port = facts.one('port')
  if (port === undefined) throw new SpeedgridError('remote', `no free port was found on ${link.hostName}`)
  const found = facts.one('program')
  const version = facts.one('version')
  const taken = facts.one('taken')
  const oom = facts.one('oom')
  return {
    nodeName,
    bootId,
    binFolders: [...new Set(facts.all('bin'))],
    port: Number(port),
    ...(found === undefined ? {} : { program: found }),
    ...(version === undefined ? {} : { version }),
    ...(taken === undefined ? {} : { portTaken: taken }),
    ...(oom === undefined ? {} : { oomKills: Number(oom) }),
  }
}
