import { setTimeout } from 'node:timers/promises'
import { SpeedgridError } from '../../shared/model/error.ts'

/** sshd refused a further session. It counts one until its command is really gone, so there may be room a moment later. */
export class NoRoom extends SpeedgridError {}

const PATIENCE_MS = 5000
const PAUSE_MS = 100

/** Is this the library's error for a channel that the server did not open? Nothing has been started then. */
export function isNoRoom(error: Error): boolean {
  return /channel open failure/i.test(error.message)
}

/** Tries again for a few seconds while there is no room. */
export async function untilThereIsRoom<T>(attempt: () => Promise<T>): Promise<T> {
  const startedMs = performance.now()
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof NoRoom) || performance.now() - startedMs > PATIENCE_MS) throw error
      await setTimeout(PAUSE_MS)
    }
  }
}
