import type { LaunchCommand } from '../../shared/command/index.ts'
import { SpeedgridError } from '../../shared/model/error.ts'
import type { Environment, Inventory } from '../../shared/model/host.ts'

/** Names a person may use for an environment: its folder, and the folder above where that is only called venv. */
function environmentNames(environment: Environment): string[] {
  const parts = environment.vllm.split('/').filter((part) => part !== '')
  const folders = parts.slice(0, -1).filter((part) => part !== 'bin')
  const last = folders.at(-1)
  const above = folders.at(-2)
  const generic = last !== undefined && /^\.?(?:v?env|virtualenv)$/.test(last)
  return [last, generic ? above : undefined].filter((name) => name !== undefined)
}

interface ChosenProgram {
  program: string
  version?: string
}

/**
 * The executable to start: the environment asked for, else the path written, else the first environment found, else what the account's
 * PATH has. Throws `no_vllm` where the environment asked for isn't there.
 */
export async function chooseProgram(
  command: LaunchCommand,
  wanted: string | undefined,
  inventory: () => Promise<Inventory>,
  expand: (word: string) => string,
): Promise<ChosenProgram> {
  const written = expand(command.program)
  if (wanted === undefined && written.includes('/')) return { program: written }
  if (wanted?.includes('/') === true && command.kind === 'vllm') return { program: expand(wanted) }
  const { environments } = await inventory()
  const found =
    wanted === undefined
      ? environments[0]
      : environments.find(
          (one) => one.vllm === expand(wanted) || environmentNames(one).includes(wanted) || one.version === wanted,
        )
  if (found === undefined && wanted !== undefined) {
    throw new SpeedgridError('no_vllm', `there is no vLLM environment "${wanted}" on the host`, {
      evidence: environments.map((one) => `${environmentNames(one)[0] ?? '?'}: ${one.vllm} ${one.version ?? ''}`.trim()),
      nextStep: 'Give one of those, or the path of a vllm executable.',
    })
  }
  const version = found?.version === undefined ? {} : { version: found.version }
  if (command.kind === 'module') return { program: found?.python ?? written, ...version }
  return { program: found?.vllm ?? written, ...version }
}
