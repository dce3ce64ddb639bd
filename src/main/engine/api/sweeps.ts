import type { SweepsApi, targetInput } from '../../../shared/contract/sweeps.ts'
import type { z } from 'zod'
import { SpeedgridError } from '../../../shared/model/error.ts'
import type { Plan } from '../../../shared/model/plan.ts'
import { isRunOver } from '../../../shared/model/states.ts'
import type { SweepRequest, SweepTarget } from '../../sweep/types.ts'
import type { Engine } from '../types.ts'
import type { SweepTrackers } from './sweep-trackers.ts'

interface Deps {
  engine: Pick<Engine, 'sweeps' | 'store'>
  trackers: SweepTrackers
  /** A run has been made. */
  onStarted: (runId: string) => void
}

export function createSweepsApi({ engine, trackers, onStarted }: Deps): SweepsApi {
  const { sweeps, store } = engine
  return {
    dryRun: async (input) => await sweeps.dryRun(requestOf(input)),
    start: async (input) => {
      const handle = await sweeps.start(requestOf(input))
      trackers.attach(handle)
      onStarted(handle.runId)
      return { runId: handle.runId }
    },
    resume: async ({ runId }) => {
      const handle = await sweeps.resume(runId)
      trackers.attach(handle)
      return { runId: handle.runId }
    },
    control: async (input) => {
      const { runId, ...control } = input
      const handle = trackers.handle(runId)
      if (handle === undefined) throw notAttached(store, runId)
      await handle.control(control)
    },
    watch: ({ runId }, signal) => trackers.watch(runId, signal),
  }
}

function requestOf(input: { target: z.infer<typeof targetInput>; plan: Plan; name?: string; tags?: string[] }): SweepRequest {
  const { target, plan, name, tags } = input
  return {
    target: targetOf(target),
    plan,
    ...(name === undefined || name === '' ? {} : { name }),
    ...(tags === undefined ? {} : { tags }),
  }
}

function targetOf(target: z.infer<typeof targetInput>): SweepTarget {
  if (target.kind === 'server') {
    return { kind: 'server', host: target.host, ...(target.server === undefined ? {} : { server: target.server }) }
  }
  return {
    kind: 'url',
    url: target.url,
    ...(target.apiKey === undefined || target.apiKey === '' ? {} : { apiKey: target.apiKey }),
  }
}

function notAttached(store: Engine['store'], runId: string): SpeedgridError {
  const run = store.runs.find(runId)
  if (isRunOver(run.state)) {
    return new SpeedgridError('conflict', `Run ${run.name} is ${run.state}: there is nothing left to steer.`, {
      nextStep: 'Start a new run with the same plan.',
    })
  }
  const holder = store.runs.leaseHolder(runId)
  return new SpeedgridError('conflict', `Run ${run.name} is not watched from here.`, {
    evidence: holder === undefined ? [`it is ${run.state}`] : [`watched by process ${String(holder.pid)} on ${holder.hostName}`],
    nextStep: holder === undefined ? 'Resume it first.' : 'Steer it where it is watched, or end that one and resume it here.',
  })
}
