import type { Job } from '../../shared/model/job.ts'
import type { Plan } from '../../shared/model/plan.ts'
import { isResult, tryKey } from '../../shared/run/index.ts'
import type { RunsStore } from '../store/index.ts'
import type { ResolvedTarget } from './resolve-target.ts'

/** What is finished of a run and need not be measured again. */
type Progress = Pick<Job, 'done' | 'attempts' | 'prefillDeaths' | 'firstLine'>

export const NO_PROGRESS: Progress = { done: { cells: [], prefills: [] }, attempts: [], prefillDeaths: [], firstLine: 1 }

export function readProgress(runs: RunsStore, runId: string): Progress {
  const cells = new Map<string, Job['done']['cells'][number]>()
  const attempts = new Map<string, Job['attempts'][number]>()
  for (const outcome of runs.outcomes(runId)) {
    const { contextTokens, concurrency, repeat, attempt, cutBy } = outcome
    const cell = { contextTokens, concurrency, repeat }
    const key = tryKey(cell)
    if (isResult(outcome)) cells.set(key, cell)
    if (attempt === undefined) continue
    const before = attempts.get(key)
    const deaths = (before?.deaths ?? 0) + (cutBy === 'server_gone' ? 1 : 0)
    attempts.set(key, { ...cell, attempts: Math.max(attempt, before?.attempts ?? 0), deaths })
  }
  const prefillDeaths = new Map<number, number>()
  for (const { contextTokens, cutBy } of runs.prefills(runId)) {
    if (cutBy === 'server_gone') prefillDeaths.set(contextTokens, (prefillDeaths.get(contextTokens) ?? 0) + 1)
  }
  const prefills = runs.prefills(runId).filter(isResult)
  const contexts = [...new Set(prefills.map((prefill) => prefill.contextTokens))]
  return {
    done: { cells: [...cells.values()], prefills: contexts.map((contextTokens) => ({ contextTokens })) },
    attempts: [...attempts.values()],
    prefillDeaths: [...prefillDeaths].map(([contextTokens, deaths]) => ({ contextTokens, deaths })),
    firstLine: runs.lastLine(runId) + 1,
  }
}

export interface JobInput {
  runId: string
  epoch: number
  plan: Plan
  target: ResolvedTarget
  progress: Progress
  dryRun?: boolean
  /** Of the tunnel. */
  socketPath?: string
}

/** The file `job.json`. It holds no secret. */
export function makeJob({ runId, epoch, plan, target, progress, dryRun = false, socketPath }: JobInput): Job {
  const { place } = target.placement
  const { server } = target.host ?? {}
  const job: Job = {
    schema: 'speedgrid.job/1',
    runId,
    epoch,
    dryRun,
    plan,
    target: { baseUrl: target.baseUrl, socketPath },
    place,
    known: target.known,
    gpuTelemetry: !hasNvidia(target) ? 'none' : place === 'host' ? 'self' : 'input',
    gpuIndexes: server?.launchCommand === undefined ? undefined : visibleGpus(server.launchCommand),
    ...progress,
  }
  if (place === 'host' && server !== undefined) {
    const { identity, logPath, listenerUid } = server
    job.serverProcess = { identity, logPath, listenerUid }
  }
  return job
}

export function hasNvidia(target: ResolvedTarget): boolean {
  return target.host?.inventory.gpuTool === 'nvidia-smi'
}

/** GPUs the launch command asks for by index; undefined where it doesn't say. */
function visibleGpus(launchCommand: string): number[] | undefined {
  const list = /(?:^|\s)CUDA_VISIBLE_DEVICES=["']?([0-9]+(?:,[0-9]+)*)["']?(?=\s)/.exec(launchCommand)?.[1]
  return list?.split(',').map(Number)
}
