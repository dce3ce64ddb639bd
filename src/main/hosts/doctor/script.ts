import { OWN_FOLDER } from '../../ssh/index.ts'

/**
 * What can end a detached process, and whether our folders can be written. Leaves nothing behind: the probe file is removed. Prints
 * `@@ session` and `key rest` lines.
 */
export const SESSION_SCRIPT = `
set -u
LC_ALL=C; export LC_ALL
${OWN_FOLDER}
echo "@@ session"
read -r random < /proc/sys/kernel/random/uuid
# A probe in a folder of its own, whose name nobody can take first: in the folder itself, or in the nearest one above that exists.
writable() {
  place=$2
  while [ -n "$place" ] && [ ! -e "$place" ]; do place=\${place%/*}; done
  [ -n "$place" ] || place=/
  if [ ! -d "$place" ]; then echo "$1 no $place is not a folder"; return; fi
  case $place in
    */speedgrid) reason=$(enter "$place" || echo "$why") ;;
    *) reason=$(is_trusted_up "\${place%/}" || echo "$why") ;;
  esac
  if [ -n "$reason" ]; then echo "$1 no $reason"; return; fi
  probe=$place/.speedgrid-probe-$random
  if said=$( { mkdir -m 700 -- "$probe" && printf '%1024s' x > "$probe/x" && [ "$(wc -c < "$probe/x")" -eq 1024 ]; } 2>&1 ); then echo "$1 yes $2"
  else said=$(printf '%s' "$said" | head -n 1); echo "$1 no \${said:-$place can not be written}"; fi
  rm -f -- "$probe/x" 2>/dev/null; rmdir -- "$probe" 2>/dev/null
}
writable cache "$cache/speedgrid"
writable tmp /tmp
quick() { if command -v timeout >/dev/null 2>&1; then timeout -k 1 5 "$@" </dev/null; else "$@" </dev/null; fi; }
kill=$(quick busctl get-property org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager KillUserProcesses 2>/dev/null)
case $kill in
  "b true") echo "kill_user_processes yes logind" ;;
  "b false") echo "kill_user_processes no logind" ;;
  *)
    set -- /etc/systemd/logind.conf /etc/systemd/logind.conf.d/*.conf /run/systemd/logind.conf.d/*.conf /usr/lib/systemd/logind.conf.d/*.conf
    value=$(cat "$@" 2>/dev/null | sed -n 's/^[[:space:]]*KillUserProcesses[[:space:]]*=[[:space:]]*\\([A-Za-z0-9]*\\).*/\\1/p' | tail -n 1)
    case $value in yes|true|on|1) echo "kill_user_processes yes logind.conf" ;; *) echo "kill_user_processes no \${value:+logind.conf}" ;; esac ;;
esac
exclude=$(cat /etc/systemd/logind.conf /etc/systemd/logind.conf.d/*.conf 2>/dev/null | sed -n 's/^[[:space:]]*KillExcludeUsers[[:space:]]*=[[:space:]]*\\(.*\\)/\\1/p' | tail -n 1)
echo "kill_exclude \${exclude:-root}"
echo "end -"
`
