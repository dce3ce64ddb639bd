import { clockOffText } from '../../shared/format/index.ts'
import { SpeedgridError } from '../../shared/model/error.ts'
import type { HostLink } from '../ssh/types.ts'

/** How far a host's clock is ahead of ours, ms (negative: behind); 0 where it is as good as ours. Throws what the link throws. */
export async function readClockAheadMs(link: HostLink): Promise<number> {
  const beforeMs = Date.now()
  // Old dates know no %N and print it as it is: the second is enough.
  const { code, stdout, stderr } = await link.exec(['date', '+%s.%N'], { timeoutMs: 15_000 })
  const middleMs = (beforeMs + Date.now()) / 2
  const [, second, fraction = ''] = /^(\d{9,12})(?:\.(\d+))?/.exec(stdout) ?? []
  if (code !== 0 || second === undefined)
    throw new SpeedgridError('remote', `The time of ${link.hostName} could not be read`, { evidence: [stderr || stdout] })
  const aheadMs = Number(second) * 1000 + Number(`0.${fraction || '5'}`) * 1000 - middleMs
  return clockOffText(link.hostName, aheadMs) === undefined ? 0 : Math.round(aheadMs)
}
