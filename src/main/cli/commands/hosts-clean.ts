import { basename } from 'node:path'
import { SpeedgridError } from '../../../shared/model/error.ts'
import { isRunOver } from '../../../shared/model/states.ts'
import { bytesText } from '../../../shared/format/index.ts'
import { keptOnHost, removeKeptOnHost } from '../../engine/kept/index.ts'
import type { Engine } from '../../engine/types.ts'
import type { CommandContext } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { textTable } from '../text-table.ts'

type Kept = Awaited<ReturnType<typeof keptOnHost>>[number]

interface Outcome extends Kept {
  removed: boolean
  /** Why it is still there. */
  reason?: string
}

/**
 * Lists what is ours on a host (Node that was brought, folders of servers and runs) and removes what nothing needs any more, once the person
 * has seen the names and sizes and says so. Throws `usage` where nobody can be asked and `yes` wasn't given.
 */
export async function cleanHost(
  context: CommandContext,
  name: string,
  options: { list?: boolean; yes?: boolean },
): Promise<number> {
  const engine = await context.engine()
  engine.hosts.get(name)
  const outcomes: Outcome[] = []
  const found = await keptOnHost(engine, name)
  const remove =
    options.list !== true && found.length > 0 && (options.yes === true || (await mayRemove(context, engine, name, found)))
  for (const folder of found) {
    const reason = options.list === true || remove ? {} : { reason: 'you said no' }
    outcomes.push({ ...folder, ...(remove ? await removeOne(engine, name, folder.path) : { removed: false, ...reason }) })
  }
  const state = ({ removed, reason }: Outcome) => (options.list ? '' : removed ? 'removed' : `kept: ${reason ?? ''}`)
  const rows = outcomes.map((one) => [one.path, bytesText(one.bytes), one.what, state(one)])
  const text = rows.length === 0 ? `Nothing of ours is on ${name}.` : textTable(['folder', 'size', 'what', ''], rows)
  context.output.both(text, { host: name, folders: outcomes })
  return EXIT.done
}

async function mayRemove(context: CommandContext, engine: Engine, name: string, found: Kept[]): Promise<boolean> {
  const free = found.filter(({ path }) => neededBy(engine, path) === undefined)
  if (free.length === 0) return true
  const lines = free.map(({ path, bytes, what }) => `${path}  ${bytesText(bytes)}  ${what}`)
  const answer = await context.prompter.confirm(
    `${lines.map((line) => `  ${line}`).join('\n')}\nRemove ${free.length === 1 ? 'this folder' : `these ${String(free.length)} folders`} from ${name}? What is in use stays.`,
  )
  if (answer !== undefined) return answer
  throw new SpeedgridError('usage', 'Nothing was removed: there is no terminal to ask at.', {
    evidence: lines,
    nextStep: `Remove them with: speedgrid hosts clean ${name} --yes`,
  })
}

async function removeOne(engine: Engine, name: string, path: string): Promise<{ removed: boolean; reason?: string }> {
  const reason = neededBy(engine, path)
  if (reason !== undefined) return { removed: false, reason }
  try {
    await removeKeptOnHost(engine, name, path)
    return { removed: true }
  } catch (error) {
    if (!(error instanceof SpeedgridError) || error.code !== 'conflict') throw error
    return { removed: false, reason: [error.message, error.nextStep].filter((part) => part !== undefined).join(' ') }
  }
}

/** What a driver has written is nowhere else until an engine has stored it. */
function neededBy(engine: Engine, path: string): string | undefined {
  if (!/\/runs\/[^/]+$/.test(path)) return undefined
  const { runs } = engine.store
  const run = runs.get(basename(path))
  if (run === undefined) return 'its run is not in this history; the engine that started it can resume it'
  return isRunOver(run.state) ? undefined : `speedgrid resume ${run.id} stores it and removes it`
}
