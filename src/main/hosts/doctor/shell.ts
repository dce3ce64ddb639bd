import type { HostLink } from '../../ssh/types.ts'
import type { Verdict } from './types.ts'
import { failedBy } from './way.ts'

const WORD = 'speedgrid-shell-ok'

/** The account's shell must run a POSIX script, say nothing of its own, and have what a detached start needs. */
export async function checkShell(link: HostLink): Promise<Verdict> {
  const remedy = 'The account needs a shell that runs commands over SSH (try: ssh HOST true).'
  try {
    const result = await link.script(
      `echo ${WORD}; echo "\${SHELL:-sh}"; for name in setsid awk sed head; do command -v $name >/dev/null 2>&1 || echo "missing $name"; done`,
      [],
      { timeoutMs: 30_000 },
    )
    const lines = result.stdout.split('\n').filter((line) => line !== '')
    const at = lines.indexOf(WORD)
    if (result.code !== 0 || at < 0) {
      const said = `${result.stdout}\n${result.stderr}`
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '')
      return {
        outcome: 'fail',
        evidence: `a script ended with status ${String(result.code ?? result.signal ?? 'unknown')}: ${said.slice(0, 3).join(' / ')}`,
        remedy,
      }
    }
    const missing = lines.filter((line) => line.startsWith('missing ')).map((line) => line.slice('missing '.length))
    if (missing.length > 0)
      return {
        outcome: 'fail',
        evidence: `not on the host: ${missing.join(', ')}`,
        remedy: `Install ${missing.map((name) => (name === 'setsid' ? 'setsid (util-linux)' : name)).join(', ')}.`,
      }
    if (at > 0) {
      return {
        outcome: 'fail',
        evidence: `the shell's start-up files print on every command: ${lines.slice(0, Math.min(at, 2)).join(' / ')}`,
        remedy:
          'Let ~/.bashrc (or what applies) print only in interactive shells: begin it with  case $- in *i*) ;; *) return ;; esac',
      }
    }
    return { outcome: 'pass', evidence: `${lines[at + 1] ?? 'sh'} runs scripts and starts detached processes` }
  } catch (error) {
    return failedBy(error, remedy)
  }
}
