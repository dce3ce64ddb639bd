import type { FromEngine } from '../../../shared/contract/engine-process.ts'
import type { Notice } from './notices.ts'

type Ended = Extract<FromEngine, { kind: 'ended' }>

/** What a run's end says in a notification; undefined where the person did it themselves. */
export function runNotice({ runId, name, state, reason }: Ended): Notice | undefined {
  const route = `#/sweep/${encodeURIComponent(runId)}`
  const because = reason === undefined ? '' : ` ${reason}`
  if (state === 'finished') return { title: 'Sweep finished', body: `${name}: every cell has its result.${because}`, route }
  if (state === 'failed') return { title: 'Sweep failed', body: `${name} did not get through.${because}`, route, isFailure: true }
  if (state === 'interrupted') {
    return {
      title: 'Sweep interrupted',
      body: `${name} can be gone on with; finished cells are kept.${because}`,
      route,
      isFailure: true,
    }
  }
  return undefined
}
