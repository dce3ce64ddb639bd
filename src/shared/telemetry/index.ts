export { createGpuLines } from './gpu-lines.ts'
export { decodeThrottleReasons, isUnknownField, NVIDIA_SMI_FIELD_SETS, nvidiaSmiArguments, parseGpuLine } from './nvidia-smi.ts'
