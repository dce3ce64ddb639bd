/**
 * Shell functions for every script of ours that looks at processes or signals them, so that there is one way to tell one of ours from any
 * other: the host's name and boot, the start time (a number alone may be another process by now), and where we have one a mark in the
 * environment. Numbers in stat are counted from its third field: a name may hold spaces and brackets.
 */
export const OWN_PROCESS = `
# Into $p_state $p_group $p_session $p_ticks $p_memory $p_exit. Fails where there is no such process.
stat_of() {
  { IFS= read -r stat < "/proc/$1/stat"; } 2>/dev/null || return 1
  set -f; set -- \${stat##*) }; set +f
  p_state=\${1-} p_group=\${3-} p_session=\${4-} p_ticks=\${20-} p_memory=\${21-} p_exit=\${50-}
  [ -n "$p_ticks" ]
}
# By session and start time, and not a zombie: that holds nothing any more.
is_running() {
  stat_of "$1" && [ "$p_session" = "$2" ] && [ "$p_ticks" = "$3" ] || return 1
  case $p_state in Z|X) return 1 ;; esac
}
is_marked() { { tr '\\000' '\\n' < "/proc/$1/environ"; } 2>/dev/null | grep -qxF -- "$2"; }
# Into $mark: yes, no, gone, or ending: it has given its memory back, and its environment with it, so nothing can be read of it any more.
# The mark is looked at first: what can't be read of a process that has just begun to end is then explained by what it has become.
look_at_mark() {
  if is_marked "$1" "$2"; then mark=yes; return; fi
  stat_of "$1" || { mark=gone; return; }
  case $p_state in Z|X) mark=gone; return ;; esac
  if [ "$p_memory" = 0 ]; then mark=ending; else mark=no; fi
}
# Empty where this is that host, started then; else which of the two it isn't, and a sentence.
elsewhere() {
  here=$(uname -n)
  [ "$here" = "$1" ] || { echo "other_host it was started on $1, this is $here"; return; }
  read -r now < /proc/sys/kernel/random/boot_id
  [ "$now" = "$2" ] || echo "gone the host was restarted since"
}
`
