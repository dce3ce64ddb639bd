import type { Commands } from './commands.ts'

/** The work's value, or the Cut that ends the run: a server that hangs shall not hold up the end. */
export async function unlessEnding<T>(commands: Commands, work: Promise<T>): Promise<T> {
  work.catch(() => undefined)
  const { ending, end } = commands.untilEnding()
  try {
    return await Promise.race([work, ending])
  } finally {
    end()
  }
}
