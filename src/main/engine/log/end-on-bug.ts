import { logFailure } from './failure-log.ts'

/** What to do about errors that nothing caught. */
interface OnBug {
  /** Ends the one thing that the error belongs to (a connection); false where it belongs to none. */
  contain: (error: unknown) => boolean
  /** Ends in good order: runs measured from here are interrupted and stored. */
  settle: () => Promise<unknown>
  /** Whatever hangs is left after this long. */
  limitMs: number
}

/**
 * An error that nothing caught is written down and said without its stack. Where it belongs to one connection, that one ends and the
 * others go on. Else it is a bug that leaves the engine in an unknown state: its runs are settled and the process ends with 1. Drivers on
 * hosts run on; whoever started the engine starts it again.
 */
export function endOnBug(dataDir: string, where: string, { contain, settle, limitMs }: OnBug): void {
  let ending = false
  async function settleAndLeave(): Promise<void> {
    try {
      await settle()
    } catch (failure) {
      logFailure(dataDir, failure, where)
    }
    process.exit(1)
  }
  process.on('uncaughtException', (error) => {
    const { id, path } = logFailure(dataDir, error, where)
    if (ending) return
    const contained = contain(error)
    const what = contained ? 'one connection was ended' : 'the engine ends'
    const details = path === undefined ? '' : ` The details are in ${path}.`
    process.stderr.write(`Something unexpected went wrong (id ${id}); ${what}.${details}\n`)
    if (contained) return
    ending = true
    setTimeout(() => process.exit(1), limitMs)
    void settleAndLeave()
  })
}
