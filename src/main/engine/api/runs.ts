import type { RunsApi } from '../../../shared/contract/runs.ts'
import type { TelemetryPoint } from '../../../shared/contract/sweeps.ts'
import type { SpoolLine } from '../../../shared/model/spool.ts'
import type { Store } from '../../store/index.ts'
import type { RunsFeed } from './runs-feed.ts'

/** A chart has fewer pixels than this. */
const POINTS = 2000

interface Deps {
  store: Store
  feed: RunsFeed
  /** Name, tags, note or trash of a run were changed. */
  onChanged: (runId: string) => void
}

export function createRunsApi({ store, feed, onChanged }: Deps): RunsApi {
  const { runs } = store

  async function change(runId: string, work: (id: string) => void): Promise<void> {
    const { id } = runs.find(runId)
    work(id)
    feed.touch([id])
    onChanged(id)
    return
  }

  return {
    watch: (signal) => feed.watch(signal),
    list: async (query) => runs.page(query),
    row: async ({ runId }) => runs.find(runId),
    choices: async ({ trashed }) => runs.choices(trashed),
    document: async ({ runId }) => runs.document(runs.find(runId).id),
    cell: async ({ runId, contextTokens, concurrency }) => {
      const { id } = runs.find(runId)
      const attempts = runs.attemptsAt(id, contextTokens, concurrency).map(({ rawEvents: _bulk, ...attempt }) => attempt)
      const last = attempts.at(-1)
      const range = last && { fromMs: Date.parse(last.startedAt), toMs: Date.parse(last.finishedAt) }
      return { attempts, telemetry: range === undefined ? [] : thin(runs.samples(id, range)) }
    },
    telemetry: async ({ runId }) => thin(runs.samples(runs.find(runId).id)),
    rename: ({ runId, name }) => change(runId, (id) => runs.rename(id, name)),
    tag: ({ runId, tags }) => change(runId, (id) => runs.setTags(id, tags)),
    note: ({ runId, note }) => change(runId, (id) => runs.setNote(id, note)),
    trash: async ({ runIds, trashed }) => {
      const ids = runIds.map((runId) => runs.find(runId).id)
      for (const id of ids) runs.setTrashed(id, trashed)
      feed.touch(ids)
    },
  }
}

/** Every k-th sample of a long run, the last one always. */
export function thin(samples: Extract<SpoolLine, { kind: 'sample' }>[]): TelemetryPoint[] {
  const step = Math.max(1, Math.ceil(samples.length / POINTS))
  return samples
    .filter((_sample, index) => index % step === 0 || index === samples.length - 1)
    .map(({ t, gpus, metrics }) => ({ t, ...(gpus ? { gpus } : {}), ...(metrics ? { metrics } : {}) }))
}
