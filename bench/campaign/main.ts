/**
 * Random kills with known truth: `npm run campaign -- --kills 100 --seed 1 [--kind engine-kill,…] [--only 1/17,…] [--at-once 2]`.
 * Real sshd, a stand-in server of a process of its own, the built command line. Exit 1 where any case had a fault.
 */
import { parseArgs } from 'node:util'
import { sshdMissing } from '../../test/sshd.ts'
import { runCampaign } from './campaign.ts'
import { createCases, type Kind, KINDS } from './cases.ts'
import { verdictTable, verdictText } from './table.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    kind: { type: 'string' },
    only: { type: 'string' },
    'at-once': { type: 'string', default: '2' },
  },
})
const missing = sshdMissing()
if (missing !== undefined) {
  console.log(`No campaign here: ${missing}.`)
  process.exit(0)
}
const isRoot = process.getuid?.() === 0
const wanted = values.kind?.split(',') as Kind[] | undefined
const kinds = (wanted ?? KINDS).filter((kind) => isRoot || !kind.endsWith('disk-full'))
if (!isRoot) console.log('Not root: no small disks can be mounted, so that the kinds *-disk-full are left out.')
const cases = createCases({
  kills: Number(values.kills),
  seed: Number(values.seed),
  kinds,
  ...(values.only ? { only: values.only.split(',') } : {}),
})
console.log(`${String(cases.length)} cases, seed ${values.seed}`)
const verdicts = await runCampaign(cases, Number(values['at-once']), (verdict) => console.log(verdictText(verdict)))
console.log(`\n${verdictTable(verdicts)}`)
process.exitCode = verdicts.some(({ faults }) => faults.length > 0) ? 1 : 0
