import { randomBytes } from 'node:crypto'
import { appendFileSync, chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { jsonText } from '../../../shared/format/index.ts'
import { redactText } from '../../../shared/secrets/index.ts'

export const logPath = (dataDir: string) => join(dataDir, 'speedgrid.log')

/** Keeps the details of an unexpected error in the data folder, for a bug report; the person sees only the id and the path. */
export function logFailure(dataDir: string, error: unknown, command: string): { id: string; path?: string } {
  const id = randomBytes(4).toString('hex')
  const path = logPath(dataDir)
  const details =
    error instanceof Error ? { name: error.name, message: error.message, stack: error.stack } : { message: String(error) }
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    appendFileSync(path, `${redactText(jsonText({ at: new Date().toISOString(), id, command, ...details }))}\n`, {
      mode: 0o600,
    })
    chmodSync(path, 0o600)
    return { id, path }
  } catch {
    return { id }
  }
}
