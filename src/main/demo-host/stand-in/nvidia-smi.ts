import { readGpuUses } from './gpu-state.ts'
import { readMachineEnvironment } from './machine-environment.ts'
import { helpQueryGpu, listGpus, queryGpus, queryProcesses, readFormat, SmiError, summary } from './smi/report.ts'

interface Options {
  queryGpu?: string
  queryProcesses?: string
  format?: string
  loopMs?: number
  only?: number
  action?: 'list' | 'version' | 'help-query-gpu'
}

/** nvidia-smi's own way: long options with `=` or the next word, short ones with the next word. */
function readOptions(words: readonly string[]): Options {
  const options: Options = {}
  for (let at = 0; at < words.length; at += 1) {
    const [name = '', inline] = (words[at] ?? '').split(/=(.*)/s)
    const value = () => {
      if (inline !== undefined) return inline
      at += 1
      return words[at] ?? ''
    }
    const loop = (factor: number) => {
      const number = Number(value())
      if (!Number.isFinite(number) || number <= 0) throw new SmiError(`Invalid loop value.\n`, 1)
      return number * factor
    }
    if (name === '--query-gpu') options.queryGpu = value()
    else if (name === '--query-compute-apps' || name === '--query-accounted-apps') options.queryProcesses = value()
    else if (name === '--format') options.format = value()
    else if (name === '-l' || name === '--loop') options.loopMs = loop(1000)
    else if (name === '-lms' || name === '--loop-ms') options.loopMs = loop(1)
    else if (name === '-i' || name === '--id') options.only = Number(value())
    else if (name === '-L' || name === '--list-gpus') options.action = 'list'
    else if (name === '--version') options.action = 'version'
    else if (name === '--help-query-gpu') options.action = 'help-query-gpu'
    else throw new SmiError(`Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.\n`, 1)
  }
  return options
}

function answer(options: Options): string {
  const { machine, stateFolder } = readMachineEnvironment()
  if (options.action === 'list') return listGpus(machine)
  if (options.action === 'help-query-gpu') return helpQueryGpu()
  if (options.action === 'version') {
    return (
      `NVIDIA-SMI version  : ${machine.driverVersion}\nNVML version        : 595.45\nDRIVER version      : ${machine.driverVersion}\n` +
      `CUDA Version        : ${machine.cudaVersion}\n`
    )
  }
  const uses = readGpuUses(stateFolder)
  if (options.queryGpu !== undefined) {
    return queryGpus(machine, uses, options.queryGpu.split(','), readFormat(options.format), new Date(), options.only)
  }
  if (options.queryProcesses !== undefined) {
    return queryProcesses(machine, uses, options.queryProcesses.split(','), readFormat(options.format))
  }
  return summary(machine, uses)
}

function main(): void {
  const options = readOptions(process.argv.slice(2))
  process.stdout.on('error', () => process.exit(0)) // the reader of a loop has gone
  process.stdout.write(answer(options))
  if (options.loopMs === undefined) return
  // A header is printed once. The next line's time is counted from the first one, so that a loop keeps its rhythm.
  const following = { ...options, ...(options.format ? { format: `${options.format},noheader` } : {}) }
  const startMs = performance.now()
  const loopMs = options.loopMs
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => process.exit(0))
  const again = (count: number) => {
    setTimeout(
      () => {
        process.stdout.write(answer(following))
        again(count + 1)
      },
      Math.max(0, startMs + count * loopMs - performance.now()),
    )
  }
  again(1)
}

try {
  main()
} catch (error) {
  process.stdout.write(error instanceof Error ? `${error.message.trimEnd()}\n` : String(error))
  process.exitCode = error instanceof SmiError ? error.status : 1
}
