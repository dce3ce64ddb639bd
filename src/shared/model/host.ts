import { z } from 'zod'

/** A name a person types: also a file-name part and an SSH config alias, so no path separators, spaces or leading dashes. */
export const hostNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/, 'letters, digits, dot, dash and underscore, up to 100')

/** A machine reached over SSH. What is absent comes from ~/.ssh/config, then from SSH's defaults. No secret is ever in here. */
export const hostSchema = z.object({
  name: hostNameSchema,
  /** HostName or alias; the alias is looked up in ~/.ssh/config. */
  address: z.string().min(1).max(255),
  user: z.string().max(100).optional(),
  port: z.int().min(1).max(65_535).optional(),
  identityFile: z.string().max(4096).optional(),
  /** The built-in demo lab machine. */
  demo: z.boolean().default(false),
  addedAt: z.iso.datetime(),
})
export type Host = z.infer<typeof hostSchema>

/** One GPU of a host. `memoryMiB` is absent on unified-memory devices. */
const gpuSchema = z.object({
  index: z.int(),
  uuid: z.string().optional(),
  name: z.string(),
  memoryMiB: z.number().optional(),
  driverVersion: z.string().optional(),
  powerLimitWatts: z.number().optional(),
  computeCapability: z.string().optional(),
  /** Profiles of its MIG devices ("1g.10gb"); absent where MIG is off. */
  migDevices: z.array(z.string()).optional(),
})
export type Gpu = z.infer<typeof gpuSchema>

const environmentSchema = z.object({
  /** Path of the `vllm` executable. */
  vllm: z.string(),
  python: z.string().optional(),
  version: z.string().optional(),
  torchVersion: z.string().optional(),
  cuda: z.string().optional(),
})
export type Environment = z.infer<typeof environmentSchema>

/** What a host has: read once per connection and kept with a run as its hardware. */
export const inventorySchema = z.object({
  hostName: z.string(),
  os: z.string(),
  osRelease: z.string().optional(),
  kernel: z.string().optional(),
  arch: z.string().optional(),
  cpuModel: z.string().optional(),
  cpuCount: z.int().optional(),
  memoryBytes: z.number().optional(),
  homeFreeBytes: z.number().optional(),
  /** Free where Hugging Face keeps models. */
  modelsFreeBytes: z.number().optional(),
  gpus: z.array(gpuSchema),
  gpuTool: z.enum(['nvidia-smi', 'amd-smi']).optional(),
  /** What the tool said where it could not tell about GPUs. */
  gpuProblem: z.string().optional(),
  environments: z.array(environmentSchema),
  /** `brought`: one of ours, in our folder there. It is never started for its version: that is in its folder's name. */
  node: z.object({ path: z.string(), version: z.string(), brought: z.boolean().optional() }).optional(),
  python: z.object({ path: z.string(), version: z.string() }).optional(),
})
export type Inventory = z.infer<typeof inventorySchema>
