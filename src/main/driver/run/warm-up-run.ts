import { type ErrorInfo, SpeedgridError } from '../../../shared/model/error.ts'
import type { EngineFacts } from '../../../shared/model/engine-facts.ts'
import { chooseCounting } from './counting.ts'
import { asCut, type CutReason, cutText } from './cut.ts'
import type { CellsRun } from './run-cells.ts'
import { findTrouble } from './trouble.ts'
import { BrokenOff, type Death, serverGone } from './waits.ts'
import { warmUp } from './warm-up.ts'

/** A server that dies of being asked at all would be waited for again and again. */
export const MAX_DEATHS_BEFORE_CELLS = 3

export function diesEachTime(death: Death, when: string): BrokenOff {
  return new BrokenOff(serverGone(death, ` for the ${MAX_DEATHS_BEFORE_CELLS}rd time while ${when}`))
}

const CODES: Partial<Record<string, ErrorInfo['code']>> = { unauthorized: 'unauthorized', limit: 'file_limit' }

function firstRequestFailed(reason: CutReason): SpeedgridError {
  const code = (reason.kind === 'stream' ? CODES[reason.error.kind] : undefined) ?? 'http'
  const nextStep = code === 'unauthorized' ? 'Give the key by --api-key-env VAR.' : "Look at the server's log."
  const detail = code === 'file_limit' ? {} : { nextStep }
  return new SpeedgridError(code, `The first request to the server failed: ${cutText(reason)}.`, detail)
}

/** Warms the server up, again where it had to be waited for; what its first stream shows of its abilities goes into the facts. */
export async function warmUpRun(run: CellsRun): Promise<void> {
  const { context } = run
  const { commands, clock, waits } = context
  const contexts = [...run.queue.waiting().map((cell) => cell.contextTokens), ...run.prefills.wanted()]
  for (let deaths = 0; ; ) {
    await waits.untilReady()
    const begun = { atMs: clock.now(), linkLosses: commands.link.losses }
    const work = commands.begin()
    let reason: CutReason
    try {
      const shown = await warmUp({ client: context.client, book: context.book, contexts, signal: work.signal })
      const [first] = shown
      const counter = (await context.feed.scrape())?.sample.generationTokens
      context.counting = chooseCounting({
        wanted: context.plan.countTokens,
        warmUps: shown,
        hasServerCounter: counter !== undefined,
        isSpeculative: context.facts.speculative === true,
      })
      const capabilities: EngineFacts['capabilities'] = {
        ...context.facts.capabilities,
        continuousUsage: first.tokenSource === 'usage',
        cachedTokens: first.cachedTokens !== undefined,
      }
      context.facts.capabilities = capabilities
      context.write({ kind: 'facts', facts: context.facts, requestTemplate: await context.book.template() })
      return
    } catch (error) {
      const cut = asCut(error)
      reason = cut.reason
      if (reason.kind === 'stop' || reason.kind === 'interrupt') throw cut
    } finally {
      work.end()
    }
    if (reason.kind === 'pause') continue
    const trouble = await findTrouble(context, reason, begun)
    if (trouble === undefined) throw firstRequestFailed(reason)
    if (trouble.kind === 'link') continue
    deaths += 1
    if (deaths >= MAX_DEATHS_BEFORE_CELLS) throw diesEachTime(trouble, 'it was warmed up')
    await waits.forServer(trouble, context.facts.servedModel)
  }
}
