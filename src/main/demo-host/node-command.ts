import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SpeedgridError } from '../../shared/model/error.ts'

export type StandIn = 'vllm' | 'nvidia-smi'

/** The stand-in's program: the bundle beside ours when built, its source in a checkout's tests. */
export function standInPath(name: StandIn, importMetaUrl = import.meta.url): string {
  const here = fileURLToPath(importMetaUrl)
  const folder = dirname(here)
  // A bundler may have put this module into out/main/chunks.
  const candidates = here.endsWith('.ts')
    ? [join(folder, 'stand-in', `${name}.ts`)]
    : [join(folder, `stand-in-${name}.js`), join(dirname(folder), `stand-in-${name}.js`)]
  const found = candidates.find((path) => existsSync(path))
  if (found) return found
  throw new SpeedgridError('internal', `The demo machine's ${name} program is missing.`, {
    evidence: candidates.map((path) => `looked for ${path}`),
    nextStep: 'Build Speedgrid again: npm run build',
  })
}

/** The Node running us with what it needs to run `programPath`. */
export function nodeArguments(programPath: string, version = process.versions.node): string[] {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const stripsTypes = major > 22 || (major === 22 && minor >= 18)
  return programPath.endsWith('.ts') && !stripsTypes ? ['--experimental-strip-types', '--no-warnings'] : []
}
