// Reads versions from the installed packages' metadata: `vllm --version` would import torch and take 15 seconds.
const READ_VERSIONS = `
import importlib.metadata as m, importlib.util as u, re
def say(key, value):
    if value: print(key, value)
for name in ("vllm", "torch"):
    try: say(name, m.version(name))
    except Exception: pass
try:
    spec = u.find_spec("torch")
    text = open(spec.origin.replace("__init__.py", "version.py")).read()
    found = re.search(r"^cuda.*=\\s*[\\x27\\x22]([0-9.]+)", text, re.M)
    say("cuda", found and found.group(1))
except Exception: pass
`

/** vLLM installations: executables named vllm in bounded places, and the Python each belongs to. */
export const ENVIRONMENTS_SCRIPT = `
section environments
reader='${READ_VERSIONS.trim()}'
found=0
seen=:
# The Python of a vllm executable: of its first line, else beside it, else of the installation a front-door script hands over to.
python_of() {
  first=$(head -c 2000 -- "$1" 2>/dev/null | tr -d '\\000' | sed -n '1s/^#! *\\([^ ]*python[0-9.]*\\).*/\\1/p; 2s/.*exec[^/]*\\(\\/[^"]*python[0-9.]*\\)".*/\\1/p' | head -n 1)
  if [ -n "$first" ] && [ -x "$first" ]; then echo "$first"; return; fi
  real=$(readlink -f -- "$1" 2>/dev/null || echo "$1")
  for beside in "\${real%/*}/python3" "\${real%/*}/python"; do
    case $beside in /usr/bin/*|/usr/local/bin/*|/bin/*) continue ;; esac
    [ -x "$beside" ] && { echo "$beside"; return; }
  done
  for root in $(head -c 4000 -- "$real" 2>/dev/null | tr -d '\\000' | sed -n 's/.*["'"'"' =]\\(\\/[^"'"'"' ]*\\)\\/bin\\/\\(vllm\\|python[0-9.]*\\)\\(["'"'"' ].*\\)\\{0,1\\}$/\\1/p' | head -n 3); do
    [ -x "$root/bin/python3" ] && { echo "$root/bin/python3"; return; }
    [ -x "$root/bin/python" ] && { echo "$root/bin/python"; return; }
  done
}
environment() {
  [ $found -lt 24 ] && [ -f "$1" ] && [ -x "$1" ] || return 0
  real=$(readlink -f -- "$1" 2>/dev/null || echo "$1")
  case $seen in *":$real:"*) return 0 ;; esac
  python=$(python_of "$1")
  # A front door and the installation behind it are one environment: what comes first stays.
  if [ -n "$python" ]; then
    case $seen in *":$python:"*) return 0 ;; esac
    seen=$seen$python:
  fi
  seen=$seen$real:
  found=$((found + 1))
  echo "environment $1"
  said=
  if [ -n "$python" ]; then
    echo "python $python"
    said=$(limited 15 "$python" -B -c "$reader" 2>/dev/null)
    [ -n "$said" ] && printf '%s\\n' "$said"
  fi
  case "
$said" in *"
vllm "*) ;; *)
    limited 30 "$1" --version 2>/dev/null | tail -n 1 | sed 's/^/said /' ;;
  esac
}
for path in "$@"; do
  case $path in '~/'*) path=$home/\${path#'~/'} ;; '$HOME/'*) path=$home/\${path#'$HOME/'} ;; esac
  environment "$path"
done
rest=$PATH:
while [ -n "$rest" ]; do
  folder=\${rest%%:*}; rest=\${rest#*:}
  case $folder in /*) environment "$folder/vllm" ;; esac
done
[ -n "\${VIRTUAL_ENV:-}" ] && environment "$VIRTUAL_ENV/bin/vllm"
# The account's own login shell may know more places than this command's PATH.
case \${SHELL:-} in */sh|*/bash|*/zsh|*/dash|*/ksh)
  login=$(limited 10 "$SHELL" -lc 'command -v vllm' 2>/dev/null | tail -n 1)
  case $login in /*) environment "$login" ;; esac ;;
esac
for path in "$home"/.venv/bin/vllm "$home"/venv*/bin/vllm "$home"/*/bin/vllm "$home"/.[!.]*/bin/vllm "$home"/*/.venv/bin/vllm "$home"/*/venv/bin/vllm \\
  "$home"/envs/*/bin/vllm "$home"/.virtualenvs/*/bin/vllm "$home"/.local/bin/vllm "$home"/.local/share/uv/tools/*/bin/vllm "$home"/.cache/*/bin/vllm \\
  "$home"/.conda/envs/*/bin/vllm "$home"/miniconda3/envs/*/bin/vllm "$home"/anaconda3/envs/*/bin/vllm "$home"/miniforge3/envs/*/bin/vllm \\
  "$home"/mambaforge/envs/*/bin/vllm "$home"/micromamba/envs/*/bin/vllm /usr/local/bin/vllm /opt/*/bin/vllm /opt/*/venv/bin/vllm /opt/*/.venv/bin/vllm \\
  /opt/*/envs/*/bin/vllm; do
  environment "$path"
done
`
