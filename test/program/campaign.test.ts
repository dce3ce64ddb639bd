import { expect, it } from 'vitest'
import { runCampaign } from '../../bench/campaign/campaign.ts'
import { createCases } from '../../bench/campaign/cases.ts'
import { verdictText } from '../../bench/campaign/table.ts'
import { sshdMissing } from '../sshd.ts'

/** The whole campaign is `npm run campaign`; here one of each kind that needs neither root nor a long time. */
it.skipIf(sshdMissing() !== undefined)(
  'ten blows: no cell is lost or measured twice, no state lies, no figure is wrong, nothing is left',
  { timeout: 300_000 },
  async () => {
    const cases = createCases({
      kills: 10,
      seed: 20,
      longestMs: 2000,
      kinds: [
        'engine-kill',
        'engine-term',
        'engine-int',
        'engine-int-twice',
        'window-engine-kill',
        'driver-kill',
        'driver-freeze',
        'sshd-down',
        'server-kill',
        'ack-limit',
      ],
    })
    const verdicts = await runCampaign(cases, 2, () => undefined)
    expect(verdicts.filter(({ faults }) => faults.length > 0).map(verdictText)).toEqual([])
    expect(verdicts).toHaveLength(10)
  },
)
