import { logFailure } from './failure-log.ts'

/**
 * A bug that nothing caught leaves the engine in an unknown state: it is written down, said without its stack, and the process ends.
 * Drivers on hosts run on; whoever started the engine starts it again. Returns how to stop minding.
 */
export function endOnBug(dataDir: string, where: string): () => void {
  const end = (error: unknown) => {
    const { id, path } = logFailure(dataDir, error, where)
    const details = path === undefined ? '' : ` The details are in ${path}.`
    process.stderr.write(`Something unexpected went wrong (id ${id}); the engine ends.${details}\n`)
    process.exit(1)
  }
  process.on('uncaughtException', end)
  return () => void process.off('uncaughtException', end)
}
