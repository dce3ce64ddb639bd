import { SpeedgridError } from '../../shared/model/error.ts'
import type { ExecResult, HostLink } from '../ssh/types.ts'

/** What our scripts print: lines of `key rest of the line`. A key may come several times. */
export interface Facts {
  one(key: string): string | undefined
  all(key: string): string[]
}

export function readFacts(stdout: string): Facts {
  const lines = stdout.split('\n').map((line) => {
    const space = line.indexOf(' ')
    return space < 0 ? { key: line, value: '' } : { key: line.slice(0, space), value: line.slice(space + 1).trim() }
  })
  const all = (key: string) => lines.filter((line) => line.key === key).map((line) => line.value)
  return { all, one: (key) => all(key)[0] }
}

/** Runs one of our POSIX sh scripts and reads its facts. Throws `remote` where the script itself failed. */
export async function runFacts(
  link: HostLink,
  what: string,
  script: string,
  args: readonly string[],
  timeoutMs = 30_000,
): Promise<Facts> {
  const result = await link.script(script, args, { timeoutMs })
  if (result.code !== 0) throw scriptFailed(link, what, result)
  return readFacts(result.stdout)
}

export function scriptFailed(link: HostLink, what: string, result: ExecResult): SpeedgridError {
  const how = result.code === null ? `ended by signal ${result.signal ?? '?'}` : `exit status ${String(result.code)}`
  const evidence = result.stderr.split('\n').filter((line) => line.trim() !== '')
  return new SpeedgridError('remote', `${what} failed on ${link.hostName} (${how})`, { evidence: evidence.slice(0, 5) })
}
