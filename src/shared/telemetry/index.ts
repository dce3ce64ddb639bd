export { createGpuLines } from './gpu-lines.ts'
export { NVIDIA_SMI_FIELD_SETS, nvidiaSmiArguments } from './nvidia-smi.ts'
