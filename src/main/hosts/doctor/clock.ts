import { clockOffText } from '../../../shared/format/index.ts'
import type { HostLink } from '../../ssh/types.ts'
import { readClockAheadMs } from '../host-clock.ts'
import type { Verdict } from './types.ts'
import { failedBy } from './way.ts'

/** Whether host and this machine agree on the time. */
export async function checkClock(name: string, link: () => Promise<HostLink>): Promise<Verdict> {
  try {
    const off = clockOffText(name, await readClockAheadMs(await link()))
    if (off === undefined) return { outcome: 'pass', evidence: 'its clock is as ours' }
    return {
      outcome: 'fail',
      evidence: `${off}; runs are shown in our time, the log of a server is in its own`,
      remedy: 'Set the clock that is wrong (on most systems: timedatectl set-ntp true).',
    }
  } catch (error) {
    return failedBy(error, 'Look at what `date` says on the host.')
  }
}
