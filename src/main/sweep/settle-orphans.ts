import { existsSync } from 'node:fs'
import { isRunOver } from '../../shared/model/states.ts'
import type { HostsService } from '../hosts/types.ts'
import type { DriverLocation, Store } from '../store/index.ts'
import { patiently } from './patience.ts'
import { takeInRest } from './resume-run.ts'
import { attachDriver } from './running-driver.ts'

/** Opening the history doesn't wait long for somebody who has it locked; the next one to open it tries again. */
const LOCKED_MS = 500
/** A run that was just made gets its lease and its place in a moment. */
const YOUNG_MS = 60_000

/**
 * What a killed engine has left: runs that go on as far as the history knows, while their engine is gone and with it their driver, become
 * `interrupted`, with everything that the driver had still written. A driver on a host may well run on: that can't be known from here,
 * and such a run stays as it was last heard of. Returns the runs that are others now. Never throws.
 */
export async function settleOrphans({ store, hosts }: { store: Store; hosts: HostsService }): Promise<string[]> {
  const { runs } = store
  const settled: string[] = []
  const briefly = <Result>(work: () => Result) => patiently(work, LOCKED_MS)

  async function settle(id: string, location: DriverLocation): Promise<void> {
    const driver = attachDriver(location, (name) => hosts.connect(name))
    const heardAt = runs.lastHeardAt(id)
    const heard = heardAt === undefined ? '' : ` (last heard of at ${heardAt.slice(0, 19).replace('T', ' ')} UTC)`
    const isEnding = (await driver.look()).alive
    // What one that is still ending says is taken in by `resume`, or by whoever opens the history after that.
    if (!isEnding) await takeInRest(store, id, location.epoch, driver)
    const { state } = runs.find(id)
    if (isRunOver(state) || state === 'interrupted') return
    const reason = `The engine that measured it is gone${heard}${isEnding ? '; its driver is ending' : ''}`
    await briefly(() => runs.setState(id, 'interrupted', reason))
  }

  for (const { id, state, createdAt, location } of runs.unsettled()) {
    if (location?.place === 'host' || !runs.isOrphan(id)) continue
    // An interrupted one has at most its folder left.
    if (state === 'interrupted' && (location === undefined || !existsSync(location.folder))) continue
    if (location === undefined && Date.now() - Date.parse(createdAt) < YOUNG_MS) continue
    try {
      if (!(await briefly(() => runs.takeLease(id)))) continue
      try {
        if (location !== undefined) await settle(id, location)
        else await briefly(() => runs.setState(id, 'interrupted', 'Its engine was gone before a driver had started'))
        settled.push(id)
      } finally {
        await briefly(() => runs.releaseLease(id))
      }
    } catch {
      // A history that can't be written now, or a folder that can't be read: the run is shown as it was last heard of.
    }
  }
  return settled
}
