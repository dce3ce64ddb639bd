import { flagValue, hasFlag, readCommand, writeWords } from '../../shared/command/index.ts'
import type { EngineFacts } from '../../shared/model/engine-facts.ts'
import type { Server } from '../../shared/model/server.ts'
import type { HostLink } from '../ssh/types.ts'
import { type Facts, readFacts } from './remote-script.ts'

/** What is installed, and which revision of the model lies in the cache. Reads files only: no Python is started. */
const SCRIPT = `
set -u
pid=$1 ticks=$2 program=$3 model=$4 revision=$5
cache=
if [ -n "$pid" ] && { IFS= read -r stat < "/proc/$pid/stat"; } 2>/dev/null; then
  set -f; set -- \${stat##*) }; set +f
  if [ "\${20}" = "$ticks" ]; then
    running=$(tr '\\000' '\\n' < "/proc/$pid/cmdline" 2>/dev/null | head -n 1)
    case \${running##*/} in python*) program=$running ;; esac
    value() { tr '\\000' '\\n' < "/proc/$pid/environ" 2>/dev/null | sed -n "s/^$1=//p" | head -n 1; }
    cache=$(value HF_HUB_CACHE)
    [ -n "$cache" ] || { cache=$(value HF_HOME); cache=\${cache:+$cache/hub}; }
  fi
fi
[ -n "$cache" ] || cache=$HOME/.cache/huggingface/hub

bin=\${program%/*}
for site in "$bin"/../lib/python3*/site-packages "$bin"/../lib/python3*/dist-packages; do
  [ -d "$site" ] || continue
  for info in "$site"/vllm-*.dist-info; do
    [ -d "$info" ] || continue
    name=\${info##*/vllm-}
    echo "dist \${name%.dist-info}"
    sed -n 's/^Home-page: */home /p; s/^Project-URL: *[Hh]omepage, */home /p' "$info/METADATA" 2>/dev/null
    if [ -f "$info/direct_url.json" ]; then
      printf 'direct %s\\n' "$(tr -d '\\n' < "$info/direct_url.json")"
      checkout=$(tr -d '\\n' < "$info/direct_url.json" | sed -n 's/.*"url": *"file:\\/\\/\\([^"]*\\)".*/\\1/p')
      if [ -n "$checkout" ] && [ -f "$checkout/.git/HEAD" ]; then
        read -r head < "$checkout/.git/HEAD"
        case $head in
          ref:*)
            ref=\${head#ref: }
            if [ -f "$checkout/.git/$ref" ]; then read -r head < "$checkout/.git/$ref"
            else head=$(sed -n "s|^\\([0-9a-f]*\\) $ref$|\\1|p" "$checkout/.git/packed-refs" 2>/dev/null); fi ;;
        esac
        echo "checkout $head"
        sed -n '/^\\[remote "origin"\\]/,/^\\[/s/^[[:space:]]*url *= */origin /p' "$checkout/.git/config" 2>/dev/null
      fi
    fi
  done
  [ -f "$site/torch/version.py" ] && sed -n "s/^cuda[^=]*= *'\\(.*\\)'.*/cuda \\1/p; s/^hip[^=]*= *'\\(.*\\)'.*/hip \\1/p" "$site/torch/version.py"
done

if [ -n "$model" ]; then
  case $model in
    /*) ;;
    *)
      refs=$cache/models--$(printf '%s' "$model" | sed 's,/,--,g')/refs/\${revision:-main}
      [ -f "$refs" ] && echo "revision $(head -c 64 "$refs")" ;;
  esac
fi
exit 0
`

/**
 * What log, argv and installation of a server tell. `fromLog` comes from its start-up log. What can't be found is absent.
 * A part that can't be read (no rights, no such folder) is no error.
 */
export async function readKnown(link: HostLink, server: Server, fromLog: Partial<EngineFacts>): Promise<Partial<EngineFacts>> {
  const argv = server.startedArgv ?? []
  const args = serverArgs(argv)
  const model = readCommand(writeWords(['vllm', 'serve', ...args])).model?.value
  const revision = flagValue(args, '--revision')
  const program = server.vllm ?? argv[0] ?? ''
  const identity = server.identity
  const scriptArgs = [
    identity === undefined ? '' : String(identity.pid),
    identity?.startTicks ?? '',
    program,
    model ?? '',
    revision ?? '',
  ]
  const result = await link.script(SCRIPT, scriptArgs, { timeoutMs: 30_000 })
  return merge(fromLog, readFacts(result.stdout), args, model, revision)
}

/** What follows `vllm serve` or the module's name; an adopted server's list begins with its Python. */
function serverArgs(argv: readonly string[]): string[] {
  const serve = argv.slice(0, 4).indexOf('serve')
  if (serve > 0) return argv.slice(serve + 1)
  const module = argv.slice(0, 4).indexOf('-m')
  return argv.slice(module > 0 ? module + 2 : 1)
}

function merge(
  fromLog: Partial<EngineFacts>,
  facts: Facts,
  args: readonly string[],
  model: string | undefined,
  revision: string | undefined,
): Partial<EngineFacts> {
  const known: Partial<EngineFacts> = { name: 'vllm', ...fromLog }
  const dist = facts.one('dist')
  if (dist !== undefined) known.version ??= dist
  const hip = facts.one('hip')
  const cuda = facts.one('cuda')
  if (known.backend === 'cuda' && hip !== undefined) known.backend = 'rocm'
  // A CPU server on a torch that could do CUDA has no CUDA build worth naming.
  if (known.backend === 'cuda' && cuda !== undefined) known.build = `cuda-${cuda}`
  if (known.backend === 'rocm' && hip !== undefined) known.build = `rocm-${hip}`
  readOrigin(known, facts, dist)
  const seqs = flagValue(args, '--max-num-seqs')
  if (seqs !== undefined && /^\d+$/.test(seqs)) Object.assign(known, { maxNumSeqs: Number(seqs), maxNumSeqsSource: 'argv' })
  const quantization = flagValue(args, '--quantization')
  if (quantization !== undefined && quantization !== '') known.quantization = quantization.toUpperCase()
  if (hasFlag(args, '--speculative-config') || hasFlag(args, '--spec-method') || hasFlag(args, '--spec-model'))
    known.speculative = true
  if (model !== undefined && model !== '') known.model = model
  const snapshot = /\/snapshots\/([0-9a-f]{40})\/?$/.exec(model ?? '')?.[1]
  const cached = /^[0-9a-f]{40}$/.exec(facts.one('revision') ?? '')?.[0]
  const pinned = revision !== undefined && revision !== '' ? revision : undefined
  const found = snapshot ?? cached ?? pinned
  if (found !== undefined) known.modelRevision = found
  return known
}

function readOrigin(known: Partial<EngineFacts>, facts: Facts, dist: string | undefined): void {
  const direct = parse(facts.one('direct'))
  const checkout = /^[0-9a-f]{40}$/.exec(facts.one('checkout') ?? '')?.[0]
  const fromVersion = /\+g([0-9a-f]{7,40})\b/.exec(dist ?? known.version ?? '')?.[1]
  const commit = direct?.vcs_info?.commit_id ?? checkout ?? fromVersion
  if (typeof commit === 'string') known.commit = commit.slice(0, 12)
  const urls = [direct?.vcs_info === undefined ? undefined : direct.url, facts.one('origin'), facts.one('home')]
  const url = urls.find((one) => typeof one === 'string' && one !== '')
  if (url !== undefined) known.repository = shortRepository(url)
}

/** `https://github.com/vllm-project/vllm.git`, `git@github.com:vllm-project/vllm` → `github.com/vllm-project/vllm`; no user, no password. */
function shortRepository(url: string): string {
  return url
    .replace(/^[a-z+]+:\/\//, '')
    .replace(/^[^@/]*@/, '')
    .replace(/^([^/:]+):(?!\d)/, '$1/')
    .replace(/\.git\/?$|\/$/, '')
}

function parse(text: string | undefined): { url?: string; vcs_info?: { commit_id?: string } } | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as { url?: string; vcs_info?: { commit_id?: string } })
  } catch {
    return undefined
  }
}
