import type { Machine } from '../../machines/index.ts'
import type { ServeArguments } from './arguments.ts'

const MIB_PER_GIB = 1024
const ACTIVATIONS_GIB = 2.1

export interface MemoryPlan {
  availableKvGiB: number
  kvTokens: number
  maxModelLen: number
  usedMiBPerGpu: number
  /** vLLM's own words, where the server can't start. */
  problem?: string
}

/** What fits on the machine: the KV capacity is the published one, less where a smaller share of the memory is allowed. */
export function planMemory(machine: Machine, wanted: ServeArguments): MemoryPlan {
  const totalGiB = (machine.gpus[0]?.memoryMiB ?? 0) / MIB_PER_GIB
  const forKv = (utilization: number) => totalGiB * utilization - machine.weightsGiBPerGpu - ACTIVATIONS_GIB
  const published = forKv(machine.gpuMemoryUtilization)
  const granted =
    wanted.kvCacheMemoryBytes === undefined ? forKv(wanted.gpuMemoryUtilization) : wanted.kvCacheMemoryBytes / 2 ** 30
  const availableKvGiB = Math.min(published, granted)
  const kvTokens = Math.round((machine.kvTokens * availableKvGiB) / published)
  const asked = wanted.maxModelLen ?? machine.maxModelLen
  const maxModelLen = asked === 'auto' ? Math.min(machine.maxModelLen, kvTokens) : asked
  const plan = {
    availableKvGiB,
    kvTokens,
    maxModelLen,
    usedMiBPerGpu: Math.round((machine.weightsGiBPerGpu + ACTIVATIONS_GIB + Math.max(0, availableKvGiB)) * MIB_PER_GIB),
  }
  if (availableKvGiB <= 0) {
    return {
      ...plan,
      problem:
        'ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine.',
    }
  }
  if (maxModelLen > kvTokens) {
    const neededGiB = (published * maxModelLen) / machine.kvTokens
    return {
      ...plan,
      problem:
        `ValueError: To serve at least one request with the models's max seq len (${maxModelLen}), (${neededGiB.toFixed(2)} GiB KV cache is ` +
        `needed, which is larger than the available KV cache memory (${availableKvGiB.toFixed(2)} GiB). Based on the available memory, the ` +
        `estimated maximum model length is ${kvTokens}. Try increasing \`gpu_memory_utilization\` or decreasing \`max_model_len\` when ` +
        'initializing the engine.',
    }
  }
  return plan
}
