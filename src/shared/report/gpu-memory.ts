/**
 * Nominal memory by product name, in GB as the maker sells it: nvidia-smi shows less (an H200's 141 GB read as 140.4 GiB).
 * More than one size: the one next to what was read. First match wins, so longer names come first.
 */
const NOMINAL_GB: [RegExp, number[]][] = [
  [/\bRTX PRO 6000 Blackwell/i, [96]],
  [/\bRTX PRO 5000 Blackwell/i, [48, 72]],
  [/\bRTX PRO 4500 Blackwell/i, [32]],
  [/\bRTX PRO 4000 Blackwell/i, [24]],
  [/\bRTX PRO 2000 Blackwell/i, [16]],
  [/\bGB300\b/i, [279, 288]],
  [/\bB300\b/i, [288]],
  [/\bGB200\b/i, [186]],
  [/\bB200\b/i, [180]],
  [/\bB100\b/i, [192]],
  [/\bGB10\b/i, [128]],
  [/\bGH200\b/i, [96, 144]],
  [/\bH200\b/i, [141]],
  [/\bH20\b/i, [96, 141]],
  [/\bH100 NVL\b/i, [94]],
  [/\bH100\b/i, [80, 94, 96]],
  [/\bH800\b/i, [80]],
  [/\bA100\b/i, [40, 80]],
  [/\bA800\b/i, [40, 80]],
  [/\bL40S?\b/i, [48]],
  [/\bL20\b/i, [48]],
  [/\bL4\b/i, [24]],
  [/\bA40\b/i, [48]],
  [/\bA30\b/i, [24]],
  [/\bA10G?\b/i, [24]],
  [/\bA16\b/i, [16]],
  [/\bA2\b/i, [16]],
  [/\bV100\b/i, [16, 32]],
  [/\b(?:Tesla )?T4\b/i, [16]],
  [/\bRTX 6000 Ada/i, [48]],
  [/\bRTX 5000 Ada/i, [32]],
  [/\bRTX 4500 Ada/i, [24]],
  [/\bRTX 4000 Ada/i, [20]],
  [/\bRTX A6000\b/i, [48]],
  [/\bRTX A5500\b/i, [24]],
  [/\bRTX A5000\b/i, [24]],
  [/\bRTX A4500\b/i, [20]],
  [/\bRTX A4000\b/i, [16]],
  [/\bRTX 5090 Laptop/i, [24]],
  [/\bRTX 5090\b/i, [32]],
  [/\bRTX 5080\b/i, [16]],
  [/\bRTX 5070 Ti\b/i, [16]],
  [/\bRTX 5070\b/i, [12]],
  [/\bRTX 5060 Ti\b/i, [8, 16]],
  [/\bRTX 4090 Laptop/i, [16]],
  [/\bRTX 4090\b/i, [24]],
  [/\bRTX 4080\b/i, [16]],
  [/\bRTX 4070 Ti SUPER\b/i, [16]],
  [/\bRTX 4070\b/i, [12]],
  [/\bRTX 4060 Ti\b/i, [8, 16]],
  [/\bRTX 3090\b/i, [24]],
  [/\bRTX 3080\b/i, [10, 12]],
  [/\bRTX 3060\b/i, [8, 12]],
  [/\bTITAN RTX\b/i, [24]],
  [/\bMI355X\b/i, [288]],
  [/\bMI350X\b/i, [288]],
  [/\bMI325X\b/i, [256]],
  [/\bMI308X\b/i, [192]],
  [/\bMI300X\b/i, [192]],
  [/\bMI300A\b/i, [128]],
  [/\bMI250X?\b/i, [128]],
  [/\bMI210\b/i, [64]],
  [/\bMI100\b/i, [32]],
]

/**
 * Memory of a GPU in GB as its maker names it. Where the name says it ("A100-SXM4-80GB"), that; where it is not known, what was
 * read in MiB rounded to whole GiB; undefined where neither is there.
 */
export function nominalMemoryGb(name: string, memoryMiB: number | undefined): number | undefined {
  const said = /(\d{1,6})\s?GB\b/i.exec(name)
  if (said !== null) return Number(said[1])
  const sizes = NOMINAL_GB.find(([pattern]) => pattern.test(name))?.[1]
  if (sizes === undefined) return memoryMiB === undefined ? undefined : Math.max(1, Math.round(memoryMiB / 1024))
  // Makers' figures lie between the GB and the GiB reading, so both are compared.
  const gap = (size: number) =>
    memoryMiB === undefined ? 0 : Math.min(Math.abs(memoryMiB / 1024 - size), Math.abs((memoryMiB * 1.048576) / 1000 - size))
  return [...sizes].sort((a, b) => gap(a) - gap(b))[0]
}
