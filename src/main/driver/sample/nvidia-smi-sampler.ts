import { spawn, type ChildProcess } from 'node:child_process'
import type { GpuSample } from '../../../shared/model/telemetry.ts'
import { createGpuLines } from '../../../shared/telemetry/gpu-lines.ts'
import { isUnknownField, NVIDIA_SMI_FIELD_SETS, nvidiaSmiArguments } from '../../../shared/telemetry/nvidia-smi.ts'

interface NvidiaSmiSamplerOptions {
  onReading: (gpus: GpuSample[], atMs: number) => void
  /** Said once where there is nothing to sample, with the reason. */
  onUnavailable?: (reason: string) => void
  /** Executable; default `nvidia-smi` from the PATH. */
  command?: string
  periodMs?: number
  /** Wait before a new start; it doubles up to 30 s while the child ends without a reading. */
  restartMs?: number
}

interface NvidiaSmiSampler {
  /** Ends the child and waits until it is gone. */
  dispose(): Promise<void>
}

const MAX_RESTART_MS = 30_000
const KILL_AFTER_MS = 2000

/**
 * Keeps one `nvidia-smi -lms` running and restarts it when it ends. Nothing is left behind: the child is ended on dispose and on our own
 * exit, and where we are killed it dies at its next line, since nobody reads the pipe.
 */
export function startNvidiaSmiSampler({
  onReading,
  onUnavailable,
  command = 'nvidia-smi',
  periodMs = 500,
  restartMs = 1000,
}: NvidiaSmiSamplerOptions): NvidiaSmiSampler {
  let child: ChildProcess | undefined
  let closed: Promise<void> = Promise.resolve()
  let restart: NodeJS.Timeout | undefined
  let waitMs = restartMs
  let fieldSet = 0
  let disposed = false

  function again(sawReading: boolean, output: string): void {
    if (disposed) return
    if (!sawReading && isUnknownField(output)) {
      fieldSet += 1
      if (fieldSet < NVIDIA_SMI_FIELD_SETS.length) start()
      else onUnavailable?.('nvidia-smi knows none of the queries')
      return
    }
    waitMs = sawReading ? restartMs : Math.min(MAX_RESTART_MS, waitMs * 2)
    restart = setTimeout(start, waitMs)
    restart.unref()
  }

  function start(): void {
    const fields = NVIDIA_SMI_FIELD_SETS[fieldSet] as readonly string[]
    let sawReading = false
    let output = ''
    const lines = createGpuLines(fields, (gpus, atMs) => {
      sawReading = true
      if (!disposed) onReading(gpus, atMs)
    })
    const started = spawn(command, nvidiaSmiArguments(fields, periodMs), { stdio: ['ignore', 'pipe', 'pipe'] })
    child = started
    const note = (chunk: string): void => {
      if (output.length < 4096) output += chunk
    }
    started.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const atMs = performance.now()
      if (!sawReading) note(chunk)
      lines.push(chunk, atMs)
    })
    started.stderr.setEncoding('utf8').on('data', note)
    closed = new Promise((resolve) => {
      started.on('error', (error) => {
        resolve()
        onUnavailable?.(`nvidia-smi could not be started: ${error.message}`)
      })
      started.on('close', () => {
        lines.end()
        resolve()
        if (started.pid !== undefined) again(sawReading, output)
      })
    })
  }

  const killChild = (): void => {
    child?.kill('SIGTERM')
  }
  process.on('exit', killChild)
  start()

  return {
    async dispose() {
      disposed = true
      clearTimeout(restart)
      process.off('exit', killChild)
      killChild()
      const force = setTimeout(() => child?.kill('SIGKILL'), KILL_AFTER_MS)
      await closed
      clearTimeout(force)
    },
  }
}
