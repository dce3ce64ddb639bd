import { readFileSync } from 'node:fs'
import type { Job } from '../../../shared/model/job.ts'
import { secretParts } from '../../../shared/secrets/index.ts'
import { isAlive } from './identity.ts'

/**
 * The secrets in the environment and the arguments of the server, where the driver runs beside it as the same account: a log line or an
 * error of the server's may repeat them in a form that nothing gives away. They stay in this process's memory. Empty where they can't be read.
 */
export function readServerSecrets(serverProcess: Job['serverProcess']): string[] {
  const identity = serverProcess?.identity
  if (identity === undefined || !isAlive(identity)) return []
  return ['environ', 'cmdline'].flatMap((file) => {
    try {
      return secretParts(readFileSync(`/proc/${String(identity.pid)}/${file}`, 'utf8').split('\0'))
    } catch {
      return []
    }
  })
}
