/**
 * Shell functions for every script of ours that touches our folders on a host (`BASE`, `BASE/servers|runs|node`, `BASE/KIND/NAME`). A host is
 * shared: whatever lies at a path may have been put there by another account. So nothing is read, written, started or removed by a path;
 * a script enters the folder first, looks at where it stands (`.`), and works from there. What was entered can't be exchanged any more.
 *
 * `enter BASE [KIND [NAME]]` steps in, or returns 1 with the reason in $why (2 where nothing is there). Ours: the folder and its parents in
 * our tree are real folders of this account that nobody else may write; everything above belongs to this account or root, and what
 * others may write up there (/tmp) is sticky. `make_own` does the same and makes what is missing, with mode 0700.
 * `own_bases TMP` lists the bases that are there and ours. Also set: $me, $home, $cache, $own_mark.
 *
 * POSIX sh with `ls -ldn`, `id` and `pwd -P`, as GNU, busybox and BSD have them. Written for use in a template: no backslashes.
 */
export const OWN_FOLDER = `
me=$(id -u)
home=\${HOME:-}
[ -n "$home" ] || home=$(awk -F: -v uid="$me" '$3 == uid { print $6; exit }' /etc/passwd)
case \${XDG_CACHE_HOME:-} in /*) cache=$XDG_CACHE_HOME ;; *) cache=$home/.cache ;; esac
# In bases below /tmp: tells them from other folders of this account that begin the same way.
own_mark=.speedgrid-base
why= making=

# Rights, owner and group of the thing itself: a link is not followed.
facts_of() {
  set -f; set -- $(ls -ldn -- "$1" 2>/dev/null); set +f
  rights=\${1-} owner=\${3-} group=\${4-}
  [ -n "$owner" ]
}
# Root, as far as it is visible from inside a container.
facts_of /; root_here=$owner

# A group of this account alone (as most distributions make one for each account).
is_private_group() {
  [ "$1" = "$(id -g)" ] && [ "$(id -gn)" = "$(id -un)" ] || return 1
  members=$(getent group "$1" 2>/dev/null || grep "^[^:]*:[^:]*:$1:" /etc/group 2>/dev/null)
  members=\${members##*:}
  [ -z "$members" ] || [ "$members" = "$(id -un)" ]
}

is_trusted() {
  facts_of "$1" || { why="$1 is not there"; return 1; }
  case $owner in "$me"|0|"$root_here") ;; *) why="$1 belongs to user id $owner"; return 1 ;; esac
  case $rights in
    l*|?????????[tT]*) return 0 ;;
    ????????w*) why="$1 can be written by everybody"; return 1 ;;
    ?????w*) is_private_group "$group" || { why="$1 can be written by group id $group"; return 1; } ;;
  esac
}

is_trusted_up() {
  above=$1
  while [ -n "$above" ]; do
    is_trusted "$above" || return 1
    above=\${above%/*}
  done
  is_trusted /
}

# One level down from a folder that has been looked at.
step() {
  case $1 in ''|.|..|*/*) why="'$1' is no name of a folder of ours"; return 1 ;; esac
  was=$(pwd -P); was=\${was%/}
  said=
  [ -z "$making" ] || said=$(mkdir -- "./$1" 2>&1)
  if ! cd -P -- "./$1" 2>/dev/null; then
    if [ -d "./$1" ]; then why="Permission denied: $was/$1"; return 1; fi
    if [ -e "./$1" ] || [ -L "./$1" ]; then why="Not a directory: $was/$1"; return 1; fi
    why=\${said:-"$was/$1 is not there"}; [ -n "$making" ] && return 1
    return 2
  fi
  facts_of .
  if [ "$(pwd -P)" != "$was/$1" ]; then why="$was/$1 is a link"
  elif [ "$owner" != "$me" ]; then why="$was/$1 belongs to user id $owner, not to this account"
  else
    case $rights in
      ?????w*|????????w*) why="$was/$1 can be written by other accounts" ;;
      *) [ -z "$making" ] || chmod 700 . 2>/dev/null; return 0 ;;
    esac
  fi
  cd /
  return 1
}

enter() {
  why=
  case $1 in /*[!/]) ;; *) why="'$1' is no path of a folder of ours"; return 1 ;; esac
  above_base=\${1%/*}
  if [ ! -d "$above_base/" ]; then
    why="$above_base is not there"
    [ -e "$above_base" ] && why="Not a directory: $above_base"
    return 2
  fi
  is_trusted_up "$above_base" || return 1
  cd -P -- "$above_base/" 2>/dev/null || { why="Permission denied: $above_base"; return 1; }
  [ "$(pwd -P)" = "$above_base" ] || is_trusted_up "$(pwd -P)" || return 1
  step "\${1##*/}" || return $?
  case \${1##*/} in speedgrid-*) [ -z "$making" ] || : > "$own_mark" ;; esac
  shift
  for level in "$@"; do step "$level" || return $?; done
}

make_own() {
  umask 077
  said=$(mkdir -p -- "\${1%/*}" 2>&1) || { why=$said; return 1; }
  making=yes
  enter "$@"; entered=$?
  making=
  return $entered
}

own_bases() {
  for base in "$cache/speedgrid" "$1"/speedgrid-*; do
    [ -d "$base" ] && [ -O "$base" ] && [ ! -L "$base" ] || continue
    (
      enter "$base" || exit 0
      case $base in
        # Without a mark: where earlier versions had it.
        "$cache/speedgrid"|"$1/speedgrid-$me") echo "$base" ;;
        *) [ -f "$own_mark" ] && [ ! -L "$own_mark" ] && echo "$base" ;;
      esac
    )
  done
}
`

/** The arguments of `enter` for a folder BASE/KIND/NAME. */
export function ownLevels(path: string): [base: string, kind: string, name: string] {
  const [, base = '', kind = '', name = ''] = /^(.*)\/([^/]*)\/([^/]*)$/s.exec(path) ?? []
  return [base, kind, name]
}
