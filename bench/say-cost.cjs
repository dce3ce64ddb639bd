// Loaded before a program (`node -r`): says on file descriptor 3 what it has cost when it ends.
process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage()
  require('node:fs').writeSync(3, JSON.stringify({ peakMiB: maxRSS / 1024, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6 }))
})
