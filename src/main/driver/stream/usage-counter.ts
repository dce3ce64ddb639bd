/** Counts a request's output tokens from usage where there is one, else from chunks of text. */
interface UsageCounter {
  /** One event: cumulative usage it carries, if any, and whether it is a step of the model. Returns the growth, never negative. */
  add(completionTokens: number | undefined, isStep: boolean): number
  /** Cumulative tokens given out so far; never goes back. */
  readonly counted: number
  /** The server's own last word where it gave one, else what was counted. */
  readonly outputTokens: number
  /** usage: it came with output events. events: chunks were counted (a usage at the very end only corrects the sum). */
  readonly source: 'usage' | 'events'
}

/**
 * Usage is cumulative; a chunk of text without it counts one until the next usage corrects that (docs/published-method.md 8). A usage lower
 * than what was counted gives no negative growth: growth goes on when it has caught up.
 */
export function createUsageCounter(): UsageCounter {
  let counted = 0
  let highest: number | undefined
  let outputs = 0
  let outputsWithUsage = 0
  return {
    add(completionTokens, isStep) {
      const before = counted
      if (isStep) outputs += 1
      if (completionTokens === undefined) {
        if (isStep) counted += 1
      } else {
        if (isStep) outputsWithUsage += 1
        highest = Math.max(highest ?? 0, completionTokens)
        counted = Math.max(counted, completionTokens)
      }
      return counted - before
    },
    get counted() {
      return counted
    },
    get outputTokens() {
      return highest ?? counted
    },
    get source() {
      // Some servers put their only usage on the last output event: that is not continuous usage.
      return outputsWithUsage * 2 > outputs ? 'usage' : 'events'
    },
  }
}
