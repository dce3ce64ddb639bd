import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { ReaderKind } from './harness.ts'

const VERSION = '0.28.1'

/** The plain reader in a virtual environment of its own, made on first use; undefined, with the reason printed, where that fails. */
export function httpxReader(): ReaderKind | undefined {
  const folder = process.env.SPEEDGRID_BENCH_VENV ?? join(tmpdir(), `speedgrid-bench-httpx-${userInfo().uid}`)
  const python = join(folder, 'bin', 'python')
  const hasHttpx = (): boolean => existsSync(python) && spawnSync(python, ['-c', 'import httpx']).status === 0
  if (!hasHttpx()) {
    for (const [command, args] of [
      ['python3', ['-m', 'venv', folder]],
      [python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `httpx==${VERSION}`]],
    ] as const) {
      const ran = spawnSync(command, args, { encoding: 'utf8' })
      if (ran.status === 0) continue
      const said = (ran.error?.message ?? ran.stderr).trim().split('\n').at(-1) ?? ''
      console.log(`The httpx reader can't be set up, so there is no ratio to it: ${command} ${args.join(' ')}: ${said}\n`)
      return undefined
    }
  }
  return { name: `httpx ${VERSION}`, command: python, args: [join(import.meta.dirname, 'httpx-reader.py')] }
}
