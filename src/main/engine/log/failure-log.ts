import { randomBytes } from 'node:crypto'
import { appendFileSync, chmodSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { jsonText } from '../../../shared/format/index.ts'
import { redactText } from '../../../shared/secrets/index.ts'

/** A log that has grown beyond this becomes `speedgrid.log.1`, in place of the one before: what fails again and again fills no disk. */
export const LOG_LIMIT_BYTES = 5 * 1024 * 1024
/** Of each text of an entry; its beginning tells what it is. */
const TEXT_LIMIT = 50_000

export const logPath = (dataDir: string) => join(dataDir, 'speedgrid.log')

/** Keeps the details of an unexpected error in the data folder, for a bug report; the person sees only the id and the path. */
export function logFailure(dataDir: string, error: unknown, command: string): { id: string; path?: string } {
  const id = randomBytes(4).toString('hex')
  const path = logPath(dataDir)
  const details =
    error instanceof Error
      ? { name: shortened(error.name), message: shortened(error.message), stack: shortened(error.stack ?? '') }
      : { message: shortened(String(error)) }
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    makeRoom(path)
    appendFileSync(path, `${redactText(jsonText({ at: new Date().toISOString(), id, command, ...details }))}\n`, {
      mode: 0o600,
    })
    chmodSync(path, 0o600)
    return { id, path }
  } catch {
    return { id }
  }
}

/** Redacted before it is cut: half a secret would not be known as one. */
function shortened(text: string): string {
  return text.length <= TEXT_LIMIT ? text : `${redactText(text).slice(0, TEXT_LIMIT)} … (${String(text.length)} characters)`
}

function makeRoom(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > LOG_LIMIT_BYTES) renameSync(path, `${path}.1`)
}
