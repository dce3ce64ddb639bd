import type { Commands } from './commands.ts'
import { type CutReason, linkLostText } from './cut.ts'
import type { MetricsFeed } from './metrics-feed.ts'
import type { ServerWatch } from './server-watch.ts'
import { unlessEnding } from './unless-ending.ts'
import type { Death } from './waits.ts'

/** What lay behind a failure, where it was nothing that the failed work is to blame for. */
export type Trouble = ({ kind: 'server' } & Death) | { kind: 'link'; reason: string }

interface TroubleDeps {
  commands: Commands
  watch: ServerWatch
  /** Absent before the server is known. */
  feed?: MetricsFeed
}

/** When the work began that has failed. */
export interface Beginning {
  atMs: number
  linkLosses: number
}

/** Scrapes from so long before the work began still tell of the server it began with. */
const BEFORE_MS = 3000

/** Failures that a dead server causes; what a living one refuses, and our own limit, are not among them. */
function mayBeDeath(cut: CutReason): boolean {
  if (cut.kind === 'failed') return cut.code !== 'unauthorized' && cut.code !== 'plan' && cut.code !== 'file_limit'
  if (cut.kind !== 'stream') return false
  const { kind, status = 0 } = cut.error
  if (kind === 'http') return status >= 500
  return kind !== 'unauthorized' && kind !== 'limit'
}

/** A server that was started anew answers, but counts from the beginning. */
async function wasRestarted(feed: MetricsFeed | undefined, sinceMs: number): Promise<boolean> {
  if (feed === undefined || !feed.available) return false
  await feed.scrape()
  const counts = feed.since(sinceMs - BEFORE_MS).map(({ sample }) => sample.generationTokens ?? 0)
  return counts.some((count, index) => count < (counts[index - 1] ?? 0))
}

/** After a failure: whether the link or the server is gone, or was meanwhile. Throws a Cut where the run is to end. */
export async function findTrouble(deps: TroubleDeps, cut: CutReason, begun: Beginning): Promise<Trouble | undefined> {
  const { commands, watch } = deps
  const lostLink = (): Trouble | undefined =>
    commands.link.down === undefined && commands.link.losses === begun.linkLosses
      ? undefined
      : { kind: 'link', reason: commands.link.lastReason }

  if (cut.kind === 'link_lost') return { kind: 'link', reason: cut.reason }
  if (!mayBeDeath(cut)) return undefined
  const before = lostLink()
  if (before) return before
  const silence = await unlessEnding(commands, watch.findDeath())
  // What the server seems to be counts only while the way to it is known to be there.
  const meanwhile = lostLink()
  if (meanwhile) return meanwhile
  if (silence?.kind === 'link') {
    commands.linkDown(silence.cause)
    return { kind: 'link', reason: silence.cause }
  }
  if (silence) return { kind: 'server', cause: silence.cause, logLines: watch.logLines() }
  if (await unlessEnding(commands, wasRestarted(deps.feed, begun.atMs))) {
    return { kind: 'server', cause: 'it was started anew meanwhile', logLines: watch.logLines() }
  }
  return undefined
}

export function troubleText(trouble: Trouble): string {
  return trouble.kind === 'link' ? linkLostText(trouble.reason) : `the server is gone: ${trouble.cause}`
}
