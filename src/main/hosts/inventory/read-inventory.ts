import { SpeedgridError } from '../../../shared/model/error.ts'
import type { HostLink } from '../../ssh/types.ts'
import type { HostReading } from './parse.ts'
import { parseInventory } from './parse.ts'
import { INVENTORY_SCRIPT } from './script.ts'
import { hasSection } from './sections.ts'

const LIMIT_MS = 180_000

/** Reads what the host has, in one round trip. `vllm` are paths to look at first. Throws remote where the script did not come to its end. */
export async function readInventory(link: HostLink, vllm: readonly string[] = []): Promise<HostReading> {
  const result = await link.script(INVENTORY_SCRIPT, vllm, { timeoutMs: LIMIT_MS })
  if (!hasSection(result.stdout, 'end')) {
    const said = `${result.stderr}\n${result.stdout}`
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
    throw new SpeedgridError('remote', `${link.hostName} could not be looked through: the script ended early`, {
      evidence: [`exit status ${String(result.code ?? result.signal ?? 'unknown')}`, ...said.slice(0, 5)],
      nextStep: 'Try `ssh HOST sh -c true`: the account needs a POSIX sh as a working shell.',
    })
  }
  return parseInventory(result.stdout)
}
