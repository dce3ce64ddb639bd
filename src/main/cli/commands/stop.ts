import { durationText } from '../../../shared/format/index.ts'
import type { StopReport } from '../../servers/types.ts'
import type { CommandContext } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import type { Registration } from '../program.ts'

export function registerStop({ program, run }: Registration): void {
  program
    .command('stop')
    .argument('<host>')
    .argument('[server]', 'its id or name; the only running one when absent')
    .description('stop a server of ours and prove that its processes, port and memory are free')
    .action((host: string, server?: string) => run('stop', (context) => stopServer(context, host, server)))
}

async function stopServer(context: CommandContext, host: string, server: string | undefined): Promise<number> {
  const { output } = context
  const engine = await context.engine()
  const found = await engine.servers.find(host, server)
  const report = await engine.servers.stop(host, found.server.id, (text) => {
    output.progress(text)
    output.event({ kind: 'stop', text })
  })
  output.both(stopText(found.server.id, report), { server: found.server.id, ...report })
  return report.stopped && report.portFree ? EXIT.done : EXIT.failed
}

export function stopText(id: string, report: StopReport): string {
  const lines = [
    report.stopped
      ? `Stopped ${id} in ${durationText(report.seconds)}: every process is gone, the port is ${report.portFree ? 'free' : 'STILL TAKEN'}.`
      : `${id} is NOT fully stopped; these processes are left:`,
    ...report.left.map((left) => `  ${left.pid}  ${left.command}`),
    ...(report.gpuMemory ?? []).map((gpu) => `  GPU ${gpu.index}: ${mib(gpu.beforeMiB)} used before, ${mib(gpu.afterMiB)} after`),
    ...report.notes.map((note) => `  ${note}`),
  ]
  return lines.join('\n')
}

const mib = (value: number | undefined) => (value === undefined ? 'unknown' : `${Math.round(value)} MiB`)
